"""Guide: what the strategies do, what the words mean, which keys there are."""

from chunkviz.ui import frame, guide, sidebar

frame.draw()
sidebar.draw()
guide.draw()
