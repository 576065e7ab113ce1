"""A package as files: the page splits and joins the stored text as the judge reads it."""

from __future__ import annotations

import base64
import io
import stat
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.web.page_functions import run
from torchstone.bank import CONTENT
from torchstone.core.bundle import MOST_BYTES, MOST_FILES, BadBundle, read_bundle, write_bundle

pytestmark = [pytest.mark.web, pytest.mark.full]

BANK = sorted(CONTENT.glob("problems/*/**/*.bundle"))
ODD = {
    "no final newline": "=== a.py\nx = 1\n=== b.py\ny = 2",
    "no newline in the middle is impossible, so an empty line": "=== a.py\n\n=== b.py\n\n\n",
    "empty file": "=== a.py\n=== b.py\n=== c.py\n",
    "nothing but a header": "=== a.py",
    "carriage returns": "# c\r\n=== a.py\r\nx = 1\r\ny = 2\r\n=== b.py\r\n",
    "carriage returns alone": "=== a.py\nx\ry\r=== no header\r\n",
    "mixed line ends": "=== a.py\nx\r\ny\n\r\n=== b.py \t\nz",
    "space around the path": "===   a.py  \nx\n===  b/c d.py\u3000\ny\n",
    "nearly headers": "=== a.py\n ===  b\n===b\n==== c\n== = d\n===\n===\tb.py\n# === x\n",
    "a header with nothing": "=== a.py\n=== \nx\n",
    "twice": "=== a.py\n1\n=== a.py\n2\n",
    "prose first": "import torch\n=== a.py\n1\n",
    "no file": "# nothing\n\n",
    "nothing": "",
    "separators": "=== a.py\nx\x0by\x0cz\x1c\x85\u2028=== b\u2029=== c\n=== d.py\n",
    "byte order mark": "\ufeff=== a.py\nx\n",
    "byte order mark in a path": "=== \ufeffa.py\nx\n",
    "surrogate pairs": "=== \U0001f525.py\n\U0001f525\n",
    "many": "".join(f"=== f{n}\n" for n in range(MOST_FILES + 1)),
    "large": "=== a\n" + "é" * (MOST_BYTES // 2),
    "just not large": "=== a\n" + "x" * (MOST_BYTES - 6),
    "long path": f"=== {'a' * 201}\n",
    "outside": "=== ../a\n",
    "absolute": "=== /etc/passwd\n",
    "dots": "=== a/./b\n",
    "double slash": "=== a//b\n",
    "backslash": "=== a\\b\n",
    "unprintable": "=== a\u200bb\n",
    "no-break space": "=== a\u00a0b\n",
    "tab inside": "=== a\tb\n",
    "folder and file": "=== a\n=== a/b\n",
}
SPLIT = "(text) => { const p = f.bundle.splitBundle(text); return [p, f.bundle.joinBundle(p)]; }"
FAULT = "(text) => f.bundle.faultOf(text)"


def python_says(text: str) -> tuple[dict[str, str] | None, dict[str, Any] | None]:
    try:
        return read_bundle(text), None
    except BadBundle as error:
        return None, {"key": error.key, "word": error.word, "line": error.line}


def require_same(texts: dict[str, str]) -> None:
    """Compare the page with the judge over some texts, in one process."""
    answers = run([(code, [text]) for text in texts.values() for code in (SPLIT, FAULT)])
    for at, (name, text) in enumerate(texts.items()):
        parts, joined = answers[2 * at]["value"]
        assert joined == text, name
        whole = parts["preamble"] + "".join(each["head"] + each["text"] for each in parts["files"])
        assert whole == text, name
        files, fault = python_says(text)
        assert answers[2 * at + 1]["value"] == fault, name
        if files is not None:
            assert [(each["path"], each["text"]) for each in parts["files"]] == [*files.items()]


def test_every_bundle_of_the_bank_comes_back_byte_for_byte() -> None:
    assert len(BANK) > 40
    require_same({str(path): path.read_bytes().decode("utf-8") for path in BANK})


def test_odd_texts_come_back_and_are_refused_as_the_judge_refuses_them() -> None:
    require_same(ODD)


LINES = st.lists(
    st.sampled_from(
        ["=== a\n", "=== b/c\n", "=== \n", "===\n", "x", "\n", "\r\n", "\r", "# c\n", "=== a", " "]
    ),
    max_size=12,
)


@settings(max_examples=5, deadline=None)
@given(st.lists(LINES, min_size=40, max_size=60))
def test_any_text_comes_back(texts: list[list[str]]) -> None:
    require_same({str(at): "".join(lines) for at, lines in enumerate(texts)})


def test_a_changed_file_changes_nothing_else() -> None:
    text = "# c\n=== a.py\r\nx\r\ny\r\n=== b.py\nz"
    change = """(text, at, to) => f.bundle.joinBundle(
        f.bundle.withText(f.bundle.splitBundle(text), at, to))"""
    answers = run(
        [
            (change, [text, 0, "x\ny\nmore\n"]),
            (change, [text, 1, "z\n"]),
            # The next file begins in a line of its own.
            (change, [text, 0, "x"]),
            (change, ["=== a.py", 0, "x"]),
            (change, [text, 1, ""]),
        ]
    )
    assert [each["value"] for each in answers] == [
        "# c\n=== a.py\r\nx\r\ny\r\nmore\r\n=== b.py\nz",
        "# c\n=== a.py\r\nx\r\ny\r\n=== b.py\nz\n",
        "# c\n=== a.py\r\nx\n=== b.py\nz",
        "=== a.py\nx",
        "# c\n=== a.py\r\nx\r\ny\r\n=== b.py\n",
    ]


def test_files_are_added_renamed_and_deleted() -> None:
    text = "# c\n=== a.py\nx\n=== b.py\r\ny"
    on = "f.bundle.joinBundle(f.bundle.{}(f.bundle.splitBundle(text), {}))"
    answers = run(
        [
            (f"(text) => {on.format('withFile', repr('c/d.cu') + ', ' + repr(''))}", [text]),
            (f"(text) => {on.format('withPath', '1, ' + repr('z.toml'))}", [text]),
            (f"(text) => {on.format('without', '0')}", [text]),
        ]
    )
    assert [each["value"] for each in answers] == [
        "# c\n=== a.py\nx\n=== b.py\r\ny\n=== c/d.cu\n",
        "# c\n=== a.py\nx\n=== z.toml\r\ny",
        "# c\n=== b.py\r\ny",
    ]


def test_typing_in_a_tab_keeps_what_is_typed() -> None:
    """The stored text ends a line before the next file; the editor of the file does not jump."""
    typing = """(text, shown) => {
        let view = f.view.viewOf(text);
        const id = view.files[0].id;
        view = f.view.typed(view, id, shown, f.bundle.withText);
        return [view.text, view.files[0].shown, view.files.length,
            f.view.viewOf(view.text, view).files[0].id === id,
            f.view.viewOf(view.text, view).files[0].shown];
    }"""
    answers = run(
        [
            (typing, ["=== a\nx\n=== b\n", "xy"]),
            (typing, ["=== a\nx\n=== b\n", "x\n=== c\n"]),
        ]
    )
    assert answers[0]["value"] == ["=== a\nxy\n=== b\n", "xy", 2, True, "xy"]
    # A line like a header stays where it is written until the text is split anew.
    assert answers[1]["value"][:3] == ["=== a\nx\n=== c\n=== b\n", "x\n=== c\n", 2]


def zipped(
    files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b""
) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", method) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
        archive.comment = comment
    return memory.getvalue()


TAKE = """async (name, data, text) => f.incoming.take([{
    path: name, read: async () => Uint8Array.from(atob(data), (each) => each.charCodeAt(0)),
}], text)"""


def take(data: bytes, text: str = "=== a.py\nx\n", name: str = "it.zip") -> tuple[str, list[Any]]:
    return TAKE, [name, base64.b64encode(data).decode(), text]


def test_an_archive_is_taken_whole() -> None:
    project = {
        "top/pyproject.toml": b"[project]\n",
        "top/src/a.cpp": b"int a;",
        "top/.git/config": b"\xff",
        "top/build/x.o": b"\xff",
        "top/a.egg-info/PKG-INFO": b"x",
        "top/src/": b"",
    }
    stored = zipped({"a.py": b"y\n", "c/d.cu": "注释\n".encode()}, zipfile.ZIP_STORED, b"PK" * 99)
    answers = run(
        [
            take(zipped(project), "# c\n=== src/a.cpp\nold\n"),
            take(stored),
            take(b"int b;\n", name="b.cpp"),
            take(zipped({"csrc/a.cpp": b"1\n"})),
        ]
    )
    assert [each["value"] for each in answers] == [
        {
            "text": "# c\n=== src/a.cpp\nint a;\n=== pyproject.toml\n[project]\n",
            "added": 1, "replaced": 1, "skipped": 3, "first": "src/a.cpp",
        },
        {
            "text": "=== a.py\ny\n=== c/d.cu\n注释\n",
            "added": 1, "replaced": 1, "skipped": 0, "first": "a.py",
        },
        {
            "text": "=== a.py\nx\n=== b.cpp\nint b;\n",
            "added": 1, "replaced": 0, "skipped": 0, "first": "b.cpp",
        },
        {
            "text": "=== a.py\nx\n=== csrc/a.cpp\n1\n",
            "added": 1, "replaced": 0, "skipped": 0, "first": "csrc/a.cpp",
        },
    ]  # fmt: skip


def hostile() -> dict[str, tuple[bytes, str, str]]:
    """Return archives that are refused, each with the key and the word of the refusal."""
    right = zipped({"a.py": b"x" * 999})
    broken_sum = bytearray(zipped({"a.py": b"x\n"}, zipfile.ZIP_STORED))
    broken_sum[broken_sum.index(b"x\n")] = ord("y")
    encrypted = bytearray(right)
    encrypted[right.index(b"PK\x01\x02") + 8] |= 1
    far = bytearray(right)
    far[-6:-2] = b"\xff\xff\xff\x7f"
    return {
        "traversal": (zipped({"../a.py": b"x"}), "path", "../a.py"),
        "deeper traversal": (zipped({"a/../../b.py": b"x"}), "path", "a/../../b.py"),
        "traversal around": (zipped({"../pyproject.toml": b"x"}), "path", "../pyproject.toml"),
        "absolute around": (zipped({"/pyproject.toml": b"x"}), "path", "/pyproject.toml"),
        "absolute": (zipped({"/etc/passwd": b"x"}), "path", "/etc/passwd"),
        "backslash": (zipped({"a\\..\\b.py": b"x"}), "path", "a\\..\\b.py"),
        "drive": (zipped({"ok.py": b"x", "a\nb.py": b""}), "path", "a\nb.py"),
        "twice": (zipped({"a.py/b": b"x"}), "twice", "a.py/b"),
        "binary": (zipped({"a.so": b"\x7fELF\xff"}), "binary", "a.so"),
        "nul": (zipped({"a.txt": b"a\0b"}), "binary", "a.txt"),
        "bomb": (zipped({"a.txt": b"\0" * (64 << 20)}), "large", "256 KiB"),
        "large": (zipped({"a": b"x" * MOST_BYTES}), "large", "256 KiB"),
        "many": (zipped({f"{n}.py": b"" for n in range(MOST_FILES + 1)}), "many", "64"),
        "header inside": (zipped({"t.rst": b"a\n=== ===\n"}), "head", "t.rst"),
        "nothing": (zipped({}), "none", ""),
        "only products": (zipped({"build/x": b"\xff"}), "none", ""),
        "no archive": (b"PK but no archive", "zip", ""),
        "cut off": (right[: len(right) // 2], "zip", ""),
        "no deflate": (right.replace(zlib.compress(b"x" * 999, wbits=-15), b"\xff" * 8), "zip", ""),
        "another sum": (bytes(broken_sum), "zip", "a.py"),
        "encrypted": (bytes(encrypted), "zipKind", "a.py"),
        "lzma": (zipped({"a.py": b"x"}, zipfile.ZIP_LZMA), "zipKind", "a.py"),
        "offset outside": (bytes(far), "zip", ""),
    }


def test_what_is_refused_is_named_and_nothing_of_it_is_taken() -> None:
    cases = hostile()
    answers = run([take(data) for data, _, _ in cases.values()])
    found = {
        name: (answer.get("error"), answer.get("word"))
        for name, answer in zip(cases, answers, strict=True)
    }
    assert found == {name: (key, word) for name, (_, key, word) in cases.items()}


def test_an_archive_is_written_that_other_programs_read() -> None:
    files = {"p/pyproject.toml": "[project]\n", "p/注释.py": "# é\n", "p/empty": ""}
    write = "(files) => Array.from(f.zip.writeZip(files, new Date(2026, 10, 23, 14, 30, 6)))"
    (answer,) = run([(write, [[*files.items()]])])
    with zipfile.ZipFile(io.BytesIO(bytes(answer["value"]))) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name).decode() for name in archive.namelist()} == files
        assert archive.infolist()[0].date_time == (2026, 11, 23, 14, 30, 6)
        assert not stat.S_ISLNK(archive.infolist()[0].external_attr >> 16)


def test_what_is_written_is_taken_back(tmp_path: Path) -> None:
    bundle = (CONTENT / "problems/50_pip_package/solution.bundle").read_text()
    text = bundle[bundle.index("=== ") :]
    back = """async (text) => {
        const { files } = f.bundle.splitBundle(text);
        const data = f.zip.writeZip(files.map((each) => [`p/${each.path}`, each.text]));
        return f.incoming.take([{ path: "p.zip", read: async () => data }], "");
    }"""
    (answer,) = run([(back, [text])])
    assert answer["value"]["text"] == text == write_bundle(read_bundle(text))
