"""Start here: page settings, navigation, and the sidebar that all pages share.

The sidebar is drawn here and not by each page, so that Streamlit takes it for the same widgets on
every page: what a link or a person has chosen outlives a change of page.
"""

import streamlit as st

from chunkviz.ui import frame, sidebar

st.set_page_config(page_title="chunkviz", page_icon=frame.ICON, layout="wide")
page = st.navigation(
    [
        st.Page("pages/explore.py", title="Explore", icon=":material/segment:", default=True),
        st.Page("pages/guide.py", title="Guide", icon=":material/menu_book:"),
    ],
    position="top",
)
frame.draw()
sidebar.draw()
page.run()
