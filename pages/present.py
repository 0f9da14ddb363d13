"""Present: six steps for an audience."""

from chunkviz.ui import frame, present, sidebar

frame.draw()
sidebar.draw()
present.draw()
