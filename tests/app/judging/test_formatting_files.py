"""The file of a problem is written only over the text that was formatted."""

from pathlib import Path

import pytest

from torchstone.app.home import Home
from torchstone.app.judging import formatting_files
from torchstone.app.judging.formatting import Formatted, Formatter
from torchstone.app.judging.formatting_files import format_file
from torchstone.app.problems.drafts import DraftConflict
from torchstone.app.problems.workspace import start
from torchstone.bank.schema import Language
from torchstone.core.errors import NotFound

pytestmark = pytest.mark.pure


def test_a_change_while_a_file_is_formatted_is_not_overwritten(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotFound):
        format_file(home, "01")
    path = start(home, "01").path
    path.write_text("x  = 1\n")

    async def format_text(_formatter: Formatter, language: Language, _source: str) -> Formatted:
        assert language is Language.PYTHON
        path.write_text("y = 2\n")
        return Formatted(text="x = 1\n")

    monkeypatch.setattr(formatting_files.Formatter, "format_text", format_text)
    assert not format_file(home, "01").is_written
    path.write_text("x  = 1\n")
    with pytest.raises(DraftConflict):
        format_file(home, "01", write=True)
    assert path.read_text() == "y = 2\n"


def test_the_suffix_says_the_language(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    done = format_file(home, str(path), write=True)
    assert (done.text, done.is_changed, done.is_written) == ("x = 1\n", False, False)
