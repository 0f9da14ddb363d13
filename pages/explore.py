"""Explore: one document, one strategy, every chunk in place."""

from chunkviz.ui import explore, sidebar

document, tokenizer = sidebar.pick_document()
strategy = sidebar.choose_strategy(document)
chunking = sidebar.chunk(document, strategy, tokenizer)
if chunking is not None:
    explore.draw(chunking)
