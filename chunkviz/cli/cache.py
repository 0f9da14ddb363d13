"""``chunkviz cache``: what is kept on this disk so that no service is asked twice, and how to be rid of it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from chunkviz.cli.speech import write_text
from chunkviz.embedders.cache import VectorCache
from chunkviz.settings import PREFIX, Settings
from chunkviz.writers import TextCache

if TYPE_CHECKING:
    from chunkviz.cli.arguments import Commands


def declare(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("cache", help="show, or clear, the vectors and contexts kept on this disk")
    parser.add_argument("action", nargs="?", choices=("show", "clear"), default="show", help="default: show")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Show or clear the cache."""
    settings = Settings()
    if settings.cache_folder is None:
        write_text(f"Nothing is kept on disk: {PREFIX}CACHE_FOLDER is off.\n")
        return 0
    vectors, texts = VectorCache(settings.cache_folder), TextCache(settings.cache_folder)
    if chosen.action == "clear":
        vectors.clear()
        texts.clear()
        write_text(f"Cleared: {settings.cache_folder}\n")
        return 0
    write_text(
        f"Folder:   {settings.cache_folder}\n"
        f"Vectors:  {len(vectors):,} ({vectors.size() / 1e6:,.1f} MB)\n"
        f"Contexts: {len(texts):,} ({texts.size() / 1e6:,.1f} MB)\n"
        f"Limit:    {settings.cache_megabytes:,} MB for each\n"
    )
    return 0
