import os
import stat
import sys
from pathlib import Path

import pytest

from torchstone.core.errors import JudgeUnavailable
from torchstone.judge.sandbox import imports_probe, visible
from torchstone.judge.sandbox.visible import find_visible


@pytest.mark.full
@pytest.mark.sandbox
def test_torch_needs_its_own_packages_and_no_others(visible_cache: Path) -> None:
    found = find_visible(cache=visible_cache)
    names = {package.name for package in found.packages}
    assert {"torch", "numpy"} <= names
    assert not names & {"scipy", "pip", "setuptools", "_distutils_hack", "torchstone", "pytest"}
    assert found.python.is_file()
    assert found.loader.name.startswith("ld-")
    assert all(library.is_file() for library in found.libraries)


@pytest.mark.pure
def test_the_answer_is_kept_until_the_interpreter_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    ask = visible._ask
    monkeypatch.setattr(visible, "_ask", lambda *args: asked.append(args) or ask(*args))
    first = find_visible(cache=tmp_path, imports=())
    assert find_visible(cache=tmp_path, imports=()) == first
    assert len(asked) == 1
    assert first.packages == ()
    find_visible(cache=tmp_path, imports=("msgspec",))
    assert len(asked) == 2


@pytest.mark.pure
def test_an_answer_about_files_that_are_gone_is_not_believed(tmp_path: Path) -> None:
    found = find_visible(cache=tmp_path, imports=())
    (kept,) = tmp_path.iterdir()
    kept.write_text(kept.read_text().replace(str(found.stdlib), "/gone"))
    assert find_visible(cache=tmp_path, imports=()) == found


@pytest.mark.pure
def test_a_module_that_cannot_be_imported_is_a_clear_refusal(tmp_path: Path) -> None:
    with pytest.raises(JudgeUnavailable, match="no_such_module"):
        find_visible(Path(sys.executable), imports=("no_such_module",))


@pytest.mark.pure
def test_private_files_are_found(tmp_path: Path) -> None:
    (tmp_path / "open.py").touch()
    (tmp_path / "open.py").chmod(0o644)
    (tmp_path / "closed.py").touch()
    (tmp_path / "closed.py").chmod(0o600)
    (tmp_path / "folder").mkdir(mode=0o700)
    tmp_path.chmod(0o755)
    found = {Path(path).name for path in imports_probe.private_paths([str(tmp_path)])}
    assert found == {"closed.py", "folder"}


@pytest.mark.pure
def test_a_dangling_link_is_no_private_file(tmp_path: Path) -> None:
    tmp_path.chmod(tmp_path.stat().st_mode | stat.S_IROTH | stat.S_IXOTH)
    os.symlink("nowhere", tmp_path / "link")
    assert list(imports_probe.private_paths([str(tmp_path)])) == []


@pytest.mark.pure
def test_the_loader_is_among_the_loaded_libraries() -> None:
    assert any(Path(path).name.startswith("ld-") for path in imports_probe.loaded_libraries())
