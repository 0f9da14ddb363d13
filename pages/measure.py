"""Measure: which settings find the right text."""

from chunkviz.ui import frame, measure_page, sidebar

frame.draw()
sidebar.draw()
chunking = sidebar.chunk()
if chunking is not None:
    measure_page.draw(chunking)
