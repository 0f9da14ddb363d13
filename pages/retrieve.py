"""Retrieve: what a question finds, and what a model would be given."""

from chunkviz.ui import frame, retrieve, sidebar

frame.draw()
sidebar.draw()
chunking = sidebar.chunk()
if chunking is not None:
    retrieve.draw(chunking)
