"""The viewer's script and style, as text: for the component, and for a page that stands alone."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
_SCRIPTS = (
    "text.js",
    "model.js",
    "palette.js",
    "paint.js",
    "overlay.js",
    "brackets.js",
    "lanes.js",
    "disagreements.js",
    "findings.js",
    "minimap.js",
    "detail.js",
    "table.js",
    "layout.js",
    "stage.js",
    "viewer.js",
)
"""Parts of one module, in the order they are joined; together they need no build step."""


def viewer_script() -> str:
    """Return the module that draws a viewer; its default export mounts one."""
    return _read(*_SCRIPTS)


def viewer_style() -> str:
    """Return the style sheet of a viewer's shadow root."""
    return _read("viewer.css")


def viewer_parts(*names: str) -> str:
    """Return some of the parts, for another component that speaks the same language."""
    return _read(*names)


def relay_script() -> str:
    """Return the module that hands a message to a viewer."""
    return _read("relay.js")


def _read(*names: str) -> str:
    return "\n".join((_HERE / name).read_text("utf-8") for name in names)
