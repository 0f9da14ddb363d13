"""Guide: what the strategies do, what the words mean, which keys there are."""

from chunkviz.ui import guide, sidebar

document, _ = sidebar.pick_document()
sidebar.choose_strategy(document)
guide.draw()
