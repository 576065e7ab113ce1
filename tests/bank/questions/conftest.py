import shutil
from pathlib import Path

import pytest

from torchstone.bank.loader import CONTENT


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """Return a copy of the content with one topic of questions, which a test may spoil."""
    folder = tmp_path / "content"
    (folder / "questions").mkdir(parents=True)
    name = "2.1.2.1_views"
    shutil.copytree(CONTENT / "questions" / name, folder / "questions" / name)
    return folder


@pytest.fixture
def views(content: Path) -> Path:
    return content / "questions" / "2.1.2.1_views"
