"""Tune: the similarity curve, its threshold line, and the document that follows."""

from chunkviz.ui import frame, sidebar, tune

frame.draw()
tune.before()
sidebar.draw()
chunking = sidebar.chunk()
if chunking is not None:
    tune.draw(chunking)
