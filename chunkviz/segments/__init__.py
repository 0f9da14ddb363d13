"""Where a document may be cut: headings, paragraphs, lines, sentences.

Every function gives places of the document's own text; nothing is copied, joined or normalised.
"""

from chunkviz.segments.headings import Heading, front_matter_end, heading_path, heading_paths, heading_title, headings
from chunkviz.segments.lines import line_places, line_starts, skip_blank
from chunkviz.segments.sentences import language_of, sentence_starts, sentences, split_sentences
from chunkviz.segments.structure import StructureCuts, structure_cuts

__all__ = [
    "Heading",
    "StructureCuts",
    "front_matter_end",
    "heading_path",
    "heading_paths",
    "heading_title",
    "headings",
    "language_of",
    "line_places",
    "line_starts",
    "sentence_starts",
    "sentences",
    "skip_blank",
    "split_sentences",
    "structure_cuts",
]
