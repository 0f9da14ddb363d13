"""Start here: page settings and navigation, nothing else."""

import streamlit as st

from chunkviz.ui import frame

st.set_page_config(page_title="chunkviz", page_icon=frame.ICON, layout="wide")
st.navigation(frame.pages(), position="top").run()
