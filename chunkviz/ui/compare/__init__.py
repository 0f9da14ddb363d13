"""The Compare page: two to six settings side by side on one document."""

from chunkviz.ui.compare.page import draw

__all__ = ["draw"]
