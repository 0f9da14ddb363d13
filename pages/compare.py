"""Compare: two to six settings side by side on one document."""

from chunkviz.ui import compare, frame, sidebar

frame.draw()
sidebar.draw()
compare.draw()
