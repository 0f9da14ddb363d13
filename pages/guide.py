"""Guide: what the strategies do, what the words mean, which keys there are."""

from chunkviz.ui import guide

guide.draw()
