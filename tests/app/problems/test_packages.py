"""A package goes to a folder and comes back byte for byte; no text is lost on the way."""

from pathlib import Path

import pytest

from torchstone.app.home import Home
from torchstone.app.problems import workspace
from torchstone.app.problems.packages import pack, unpack
from torchstone.core.bundle import read_bundle
from torchstone.core.errors import BadInput, NotFound

pytestmark = pytest.mark.pure

ODD = "# c\r\n=== a.py \r\nx\r\n=== .gitignore\n*.so\n=== build/b.txt\nb\n=== e\n=== d/c.cu\nint c;"


@pytest.fixture
def file(home: Home) -> Path:
    return workspace.start(home, "50").path


@pytest.mark.parametrize("text", [None, ODD])
def test_a_package_comes_back_byte_for_byte(home: Home, file: Path, text: str | None) -> None:
    if text is not None:
        file.write_bytes(text.encode())
    before = file.read_bytes()
    done = unpack(home, "50")
    assert done.folder == file.with_suffix("")
    files = read_bundle(before.decode())
    assert done.files == tuple(files)
    assert {path: (done.folder / path).read_bytes().decode() for path in files} == files
    packed = pack(home, "50")
    assert (packed.is_changed, packed.put_aside) == (False, None)
    assert file.read_bytes() == before


def test_what_is_edited_is_packed_and_the_text_before_is_put_aside(home: Home, file: Path) -> None:
    before = file.read_text()
    folder = unpack(home, "50").folder
    (folder / "setup.py").write_text("x = 1\n")
    (folder / "new").mkdir()
    (folder / "new/a.cpp").write_text("int a;\n")
    (folder / "ts_leaky_bias/__init__.py").unlink()
    packed = pack(home, "50")
    files = read_bundle(before)
    del files["ts_leaky_bias/__init__.py"]
    wanted = files | {"setup.py": "x = 1\n", "new/a.cpp": "int a;\n"}
    assert read_bundle(file.read_text()) == wanted
    assert [*read_bundle(file.read_text())] == [*wanted]
    assert file.read_text().startswith(before[: before.index("===")])
    assert packed.is_changed
    assert packed.put_aside is not None
    assert packed.put_aside.read_text() == before


def test_no_other_text_is_overwritten(home: Home, file: Path) -> None:
    folder = unpack(home, "50").folder
    unpack(home, "50")
    (folder / "setup.py").write_text("mine\n")
    (folder / "pyproject.toml").unlink()
    with pytest.raises(BadInput, match=r"setup\.py"):
        unpack(home, "50")
    assert (folder / "setup.py").read_text() == "mine\n"
    # Nothing was written, not even what was not in the way.
    assert not (folder / "pyproject.toml").exists()


def test_a_link_in_the_folder_leads_nowhere(home: Home, file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "setup.py").symlink_to(elsewhere)
    with pytest.raises(BadInput, match=r"setup\.py"):
        unpack(home, "50", folder)
    assert not elsewhere.exists()
    # Nor does a folder inside of it.
    elsewhere.mkdir()
    (folder / "setup.py").unlink()
    inside = next(path for path in read_bundle(file.read_text("utf-8")) if "/" in path)
    (folder / inside.partition("/")[0]).symlink_to(elsewhere)
    with pytest.raises(BadInput, match=inside.partition("/")[0]):
        unpack(home, "50", folder)
    assert list(elsewhere.iterdir()) == []


def test_what_cannot_be_packed_leaves_the_text(home: Home, file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    for name, data in {"a.so": b"\xff", "a.rst": b"=== ===\n"}.items():
        folder = tmp_path / name.replace(".", "_")
        folder.mkdir()
        (folder / name).write_bytes(data)
        with pytest.raises(BadInput, match=name.replace(".", r"\.")):
            pack(home, "50", folder)
    with pytest.raises(BadInput, match="absent"):
        pack(home, "50", tmp_path / "absent")
    assert file.read_bytes() == before
    file.write_text("import torch\n")
    with pytest.raises(BadInput, match="is in no file: "):
        unpack(home, "50")


def test_other_problems_are_no_packages(home: Home, tmp_path: Path) -> None:
    for do in (pack, unpack):
        with pytest.raises(BadInput, match="01"):
            do(home, "01", tmp_path)
    with pytest.raises(NotFound):
        unpack(home, "50")
