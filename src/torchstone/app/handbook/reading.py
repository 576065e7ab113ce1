"""Chapters."""
from torchstone.bank.handbook import Chapter, load_handbook
from torchstone.core.errors import NotFound
def find_chapter(chapter_id: str) -> Chapter:
    """Find."""
    return load_handbook().chapters[chapter_id]
