"""Everything that knows Streamlit and Plotly; ``import chunkviz`` never loads it."""
