import os
from pathlib import Path

import pytest

from torchstone.app.judging.source import (
    MAX_SOURCE_BYTES,
    BadPackage,
    read_folder,
    read_source,
)
from torchstone.core.bundle import BadBundle
from torchstone.core.errors import BadInput, NotFound, TorchstoneError
from torchstone.core.i18n import LANGS

pytestmark = pytest.mark.pure


def refused(path: Path) -> TorchstoneError:
    with pytest.raises(TorchstoneError) as caught:
        read_source(path)
    assert caught.value.exit_code == 2
    assert str(path).split("\0")[0] in caught.value.message("en")
    return caught.value


def test_a_byte_order_mark_is_no_part_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes("\ufeffx = 'é'\r\n".encode())
    assert read_source(path) == "x = 'é'\r\n"


def test_a_file_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    assert isinstance(refused(tmp_path / "absent.py"), NotFound)


def test_folders_and_pipes_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path).code == "app.source_no_file"
    # Must not wait for somebody to write into it.
    assert refused(tmp_path / "pipe").code == "app.source_no_file"
    assert refused(Path("/dev/zero")).code == "app.source_no_file"


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (b"x = 1\n\xff\xfe\n", "app.source_no_text", 2),
        (b"x = 1\n\ny = '\0'\n", "app.source_has_nul", 3),
        (b"# " + b"x" * MAX_SOURCE_BYTES, "app.source_too_long", None),
    ],
)
def test_what_is_no_program_text_is_refused_with_its_line(
    tmp_path: Path, content: bytes, code: str, line: int | None
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(content)
    error = refused(path)
    assert isinstance(error, BadInput)
    assert error.code == code
    assert line is None or error.values["line"] == line


def test_a_file_that_may_not_be_read_says_why(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    path.chmod(0)
    child = os.fork() if os.geteuid() == 0 else None
    if child == 0:
        # Root reads everything, so somebody else has to try.
        tmp_path.chmod(0o755)
        os.setuid(65534)
        try:
            read_source(path)
        except BadInput as error:
            os._exit(7 if error.code == "app.source_unreadable" else 1)
        os._exit(1)
    if child is not None:
        # A temporary folder of root's may be closed to others altogether: that is 7 as well.
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    else:
        assert refused(path).code == "app.source_unreadable"


def test_a_path_with_a_nul_is_refused() -> None:
    assert refused(Path("a\0b")).code == "app.source_unreadable"


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("x\n=== b\n=== c\n", "line 2 of `a.py` begins with `=== `", "`a.py` 的第 2 行以"),
        ("\udcff", "`a.py` is not UTF-8 text", "`a.py` 不是 UTF-8 文本"),
    ],
)
def test_a_folder_that_is_no_package_is_refused_in_words(
    tmp_path: Path, text: str, english: str, chinese: str
) -> None:
    (tmp_path / "a.py").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(BadInput) as caught:
        read_folder(tmp_path)
    assert english in caught.value.message("en")
    assert chinese in caught.value.message("zh")
    assert "head: line" not in str(caught.value)


def test_every_fault_of_a_package_has_words() -> None:
    for key in ("empty", "prose", "path", "twice", "many", "large", "text", "head"):
        error = BadPackage.of(Path("p"), BadBundle(key, word="w", line=3))
        for lang in LANGS:
            said = error.message(lang)
            assert "w" in said or "3" in said or key == "empty"
            assert "{" not in said
            assert "app.bundle" not in said
            assert f"{key}: line" not in said
