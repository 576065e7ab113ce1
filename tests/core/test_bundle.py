"""A bundle holds the files of a folder, and no path of it leads anywhere else."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.core.bundle import (
    MOST_BYTES,
    MOST_FILES,
    BadBundle,
    bundle_folder,
    lay_over,
    read_bundle,
    replace_files,
    write_bundle,
)

TWO = "# a comment\n\n=== pyproject.toml\n[project]\n=== src/a.cpp\nint a;\n\n"


def test_files_come_with_their_texts() -> None:
    assert read_bundle(TWO) == {"pyproject.toml": "[project]\n", "src/a.cpp": "int a;\n\n"}


def test_an_empty_file_is_a_file() -> None:
    assert read_bundle("=== a\n=== b\nx") == {"a": "", "b": "x"}


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,6}(/[a-z_.]{1,6}x)?", fullmatch=True),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="=\r")),
        min_size=1,
        max_size=5,
    )
)
def test_what_is_written_is_read(files: dict[str, str]) -> None:
    folders = {path.split("/")[0] for path in files if "/" in path}
    files = {path: text for path, text in files.items() if path not in folders}
    ended = {
        path: text if not text or text[-1] == "\n" else f"{text}\n" for path, text in files.items()
    }
    assert read_bundle(write_bundle(files)) == ended


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("", "empty", 0),
        ("# nothing\n", "empty", 0),
        ("import torch\n", "prose", 1),
        ("#\n=== ../a\n", "path", 2),
        ("=== /etc/passwd\n", "path", 1),
        ("=== a/../../b\n", "path", 1),
        ("=== a//b\n", "path", 1),
        ("=== a\\b\n", "path", 1),
        ("=== .\n", "path", 1),
        ("=== a\n=== a\n", "twice", 2),
        ("=== a\n=== a/b\n", "twice", 2),
        ("=== a/b\n=== a\n", "twice", 2),
        ("".join(f"=== f{n}\n" for n in range(MOST_FILES + 1)), "many", 0),
        ("=== a\n" + "x" * MOST_BYTES, "large", 0),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, key: str, line: int) -> None:
    with pytest.raises(BadBundle) as caught:
        read_bundle(text)
    assert (caught.value.key, caught.value.line) == (key, line)


def test_only_what_differs_lies_over_another() -> None:
    laid = lay_over(TWO, "# verdict: CE\n# over: solution.bundle\n=== src/a.cpp\nint b;\n")
    assert laid.startswith("# verdict: CE\n# over: solution.bundle\n=== ")
    assert read_bundle(laid) == {"pyproject.toml": "[project]\n", "src/a.cpp": "int b;\n"}


def test_a_folder_is_bundled_without_what_a_build_made(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "src/a.cpp", "build/x.py", ".git/config", "a.egg-info/PKG-INFO"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert read_bundle(bundle_folder(tmp_path)) == {
        "pyproject.toml": "pyproject.toml\n",
        "src/a.cpp": "src/a.cpp\n",
    }


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.so").write_bytes(b"\x7fELF\xff")
    with pytest.raises(BadBundle, match=r"a\.so"):
        bundle_folder(tmp_path)


def test_a_line_that_would_begin_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "table.rst").write_text("a\n=== ===\n")
    with pytest.raises(BadBundle) as caught:
        bundle_folder(tmp_path)
    assert (caught.value.key, caught.value.word, caught.value.line) == ("head", "table.rst", 2)


def test_line_ends_of_a_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x\r\ny\rz")
    assert bundle_folder(tmp_path) == "=== a.py\nx\r\ny\rz\n"


@pytest.mark.parametrize(
    ("base", "files", "joined"),
    [
        (
            "# c\n=== a \r\nx\r\n=== b\ny",
            {"b": "y\n", "a": "x\r\n"},
            "# c\n=== a \r\nx\r\n=== b\ny",
        ),
        ("=== a\nx\n=== b\ny", {"a": "z", "b": "y", "c": ""}, "=== a\nz\n=== b\ny\n=== c\n"),
        ("=== a\n=== b\nx\n", {"b": "x\n"}, "=== b\nx\n"),
        ("=== a", {"a": "x"}, "=== a\nx"),
        ("# c", {"a": "x"}, "# c\n=== a\nx"),
        ("", {"a": "x", "b": "y"}, "=== a\nx\n=== b\ny"),
    ],
)
def test_only_what_changes_is_replaced(base: str, files: dict[str, str], joined: str) -> None:
    assert replace_files(base, files) == joined


BANK = Path(__file__).parents[2] / "src/torchstone/content/problems"


@pytest.mark.parametrize("path", sorted(BANK.glob("*/**/*.bundle")), ids=lambda path: path.stem)
def test_a_bundle_of_the_bank_is_put_together_byte_for_byte(path: Path) -> None:
    text = path.read_bytes().decode()
    assert replace_files(text, read_bundle(text)) == text
