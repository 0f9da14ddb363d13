"""Tokens & cost: what embedding sends, keeps and costs, and what a model never reads."""

from chunkviz.ui import cost, frame, sidebar

frame.draw()
sidebar.draw()
chunking = sidebar.chunk()
if chunking is not None:
    cost.draw(chunking)
