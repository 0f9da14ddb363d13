"""Start here: page settings and navigation, nothing else."""

import streamlit as st

from chunkviz.ui import frame

st.set_page_config(page_title="chunkviz", page_icon=frame.ICON, layout="wide")
page = st.navigation(
    [
        st.Page("pages/explore.py", title="Explore", icon=":material/segment:", default=True),
        st.Page("pages/measure.py", title="Measure", icon=":material/rule:"),
        st.Page("pages/present.py", title="Present", icon=":material/slideshow:"),
        st.Page("pages/guide.py", title="Guide", icon=":material/menu_book:"),
    ],
    position="top",
)
page.run()
