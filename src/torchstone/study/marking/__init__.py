"""Marking of free-text answers without a language model."""

from torchstone.study.marking.asked import Asked, Mistake, Point
from torchstone.study.marking.marker import MAX_CHARS, Found, Mark, mark
from torchstone.study.marking.measure import Agreement, Disagreement, Measured, Row, measure
from torchstone.study.marking.normal import language_of
from torchstone.study.marking.phrases import Family, Phrases, load_phrases
from torchstone.study.marking.reading import Refusal
from torchstone.study.marking.topics import Written, read_asked, read_written

__all__ = [
    "MAX_CHARS",
    "Agreement",
    "Asked",
    "Disagreement",
    "Family",
    "Found",
    "Mark",
    "Measured",
    "Mistake",
    "Phrases",
    "Point",
    "Refusal",
    "Row",
    "Written",
    "language_of",
    "load_phrases",
    "mark",
    "measure",
    "read_asked",
    "read_written",
]
