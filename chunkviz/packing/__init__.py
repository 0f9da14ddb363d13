"""The one engine that turns places where a text may be cut into chunks of a size.

A strategy says where boundaries may fall and why, as levels from the most to the least wanted;
``Packer`` fills chunks greedily: each ends at the last place of the highest level that lies within
reach. Pieces too big for a level are thereby cut at the next one, and small neighbours share a
chunk. Sizes are checked on the chunk's own text, never summed over its pieces. Time is linear in
the text: each chunk costs some binary searches and its own few characters.
"""

from chunkviz.packing.cuts import Cuts, CutsOutside, Level, SentenceCuts, SortedCuts, WordCuts, structure_levels
from chunkviz.packing.packer import Packer, Piece
from chunkviz.packing.trimming import is_whole, skip_space, trimmed_end

__all__ = [
    "Cuts",
    "CutsOutside",
    "Level",
    "Packer",
    "Piece",
    "SentenceCuts",
    "SortedCuts",
    "WordCuts",
    "is_whole",
    "skip_space",
    "structure_levels",
    "trimmed_end",
]
