"""Where Chromium is, and how tests, benchmarks and pictures start it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Run in a container, draw the same everywhere, and ask no other host."""


def find_chromium() -> str | None:
    """Look where the environment says, then on the path, then where playwright installs its own."""
    named = os.environ.get("CHROMIUM")
    for name in (named, "chromium", "chromium-browser", "google-chrome"):
        found = name and shutil.which(name)
        if found:
            return found
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  an optional dependency

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None
