"""Hierarchy: parents and children, and what is returned when a child is found."""

from chunkviz.ui import frame, hierarchy, sidebar

frame.draw()
sidebar.draw()
chunking = sidebar.chunk()
if chunking is not None:
    hierarchy.draw(chunking)
