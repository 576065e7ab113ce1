from pathlib import Path

import pytest

from tools import mirror

pytestmark = pytest.mark.pure


def test_modules_without_a_test_of_their_name_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = ["core/a.py", "core/b.py", "core/__init__.py", "content/x.py", "judge/a.py"]
    for name in [*(f"src/torchstone/{source}" for source in sources), "tests/core/test_a.py"]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    assert mirror.without_mirror(tmp_path) == ["core/b.py", "judge/a.py"]
    monkeypatch.setattr("sys.argv", ["mirror.py", str(tmp_path)])
    assert mirror.main() == 0
    assert "2 modules" in capsys.readouterr().out
