"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# A slow machine is no fault of the code: examples may take as long as they do. In CI its own profile says so already.
settings.register_profile("untimed", parent=settings.default, deadline=None)
settings.load_profile("untimed")
