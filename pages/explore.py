"""Explore: one document, one strategy, every chunk in place."""

from chunkviz.ui import explore, frame, sidebar

frame.draw()
sidebar.draw()
chunking = sidebar.chunk()
if chunking is not None:
    explore.draw(chunking)
