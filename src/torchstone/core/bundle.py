"""Bundles: read and write the files of a folder as one text.

A line ``=== relative/path`` begins a file. The lines up to the next such line are its text. Only
comments (``#``) and empty lines may precede the first file.
"""

import io
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

MOST_FILES = 64
MOST_BYTES = 256 << 10
_MARK = "=== "
# Files that a build or an editor leaves in a folder.
_NOT_WRITTEN = ("__pycache__", "build", "dist")


class BadBundle(ValueError):
    """Raised when a bundle is not valid; names the line.

    Attributes:
        key: The fault: ``empty``, ``prose``, ``path``, ``twice``, ``many``, ``large``, ``text``,
            ``head``.
        word: The path or the line.
        line: The number of the line, from 1; 0 if the fault has no line.
    """

    def __init__(self, key: str, *, word: str = "", line: int = 0) -> None:
        super().__init__(f"{key}: line {line}: {word}" if line else f"{key} {word}".strip())
        self.key, self.word, self.line = key, word, line


def read_bundle(text: str) -> dict[str, str]:
    """Return the files of a bundle by their paths.

    Raises:
        BadBundle: The bundle has no file, too many or too large files, or a path outside the
            folder.
    """
    if len(text.encode(errors="surrogatepass")) > MOST_BYTES:
        raise BadBundle("large", word=f"{MOST_BYTES >> 10} KiB")
    files: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for number, line in enumerate(io.StringIO(text, newline="\n"), 1):
        if line.startswith(_MARK):
            path = line.removeprefix(_MARK).strip()
            if not _is_inside(path):
                raise BadBundle("path", word=path, line=number)
            if path in files or any(_is_below(path, other) for other in files):
                raise BadBundle("twice", word=path, line=number)
            lines = files[path] = []
        elif lines is not None:
            lines.append(line)
        elif line.strip() and not line.startswith("#"):
            raise BadBundle("prose", word=line.strip()[:80], line=number)
    if not files:
        raise BadBundle("empty")
    if len(files) > MOST_FILES:
        raise BadBundle("many", word=str(MOST_FILES))
    return {path: "".join(lines) for path, lines in files.items()}


def write_bundle(files: Mapping[str, str]) -> str:
    """Write files as one text. ``read_bundle`` returns them, each with a final line feed."""
    return "".join(
        f"{_MARK}{path}\n{text}" + ("" if not text or text.endswith("\n") else "\n")
        for path, text in files.items()
    )


def lay_over(base: str, text: str) -> str:
    """Merge two bundles: files of ``text`` replace those of ``base``; its comments are kept."""
    comments = text.partition(f"\n{_MARK}")[0]
    return f"{comments}\n{write_bundle(read_bundle(base) | read_bundle(text))}"


def replace_files(base: str, files: Mapping[str, str]) -> str:
    """Return a bundle with exactly these files; what does not change stays byte for byte.

    Comments before the first file, the order of the files and the lines that begin them are those
    of ``base``. New files follow in the order of ``files``. A file whose text differs only in a
    missing end of its last line does not change.
    """
    comments, parts = _split(base)
    kept: list[str] = [comments]
    left = dict(files)
    for head, path, text in parts:
        if path in left:
            written = left.pop(path)
            kept += [head, text if _ended(text) == _ended(written) else written]
    kept += [part for path, text in left.items() for part in (f"{_MARK}{path}\n", text)]
    joined = ""
    for part in kept:
        joined = (_ended(joined) if part else joined) + part
    return joined


def _split(text: str) -> tuple[str, list[tuple[str, str, str]]]:
    """Return the comments, and of each file the line that begins it, its path and its text."""
    bodies: list[list[str]] = [[]]
    heads: list[str] = []
    for line in io.StringIO(text, newline="\n"):
        if line.startswith(_MARK):
            heads.append(line)
            bodies.append([])
        else:
            bodies[-1].append(line)
    comments, *texts = ("".join(lines) for lines in bodies)
    names = [head.removeprefix(_MARK).strip() for head in heads]
    return comments, list(zip(heads, names, texts, strict=True))


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def bundle_folder(folder: Path) -> str:
    """Write the files of a folder as a bundle, without hidden files and build products.

    Raises:
        BadBundle: A file is not text, has a line that would begin another file, or the bundle is
            too large.
    """
    files: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        odd = any(part[0] == "." or part in _NOT_WRITTEN for part in inside.parts)
        if odd or not path.is_file() or any(part.endswith(".egg-info") for part in inside.parts):
            continue
        try:
            # Not `read_text`, which would replace the ends of lines.
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            raise BadBundle("text", word=inside.as_posix()) from None
        lines = enumerate(io.StringIO(text, newline="\n"), 1)
        number = next((number for number, line in lines if line.startswith(_MARK)), 0)
        if number:
            raise BadBundle("head", word=inside.as_posix(), line=number)
        files[inside.as_posix()] = text
        if len(files) > MOST_FILES:
            raise BadBundle("many", word=str(MOST_FILES))
    text = write_bundle(files)
    read_bundle(text)
    return text


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    is_plain = path.isprintable() and "\\" not in path and str(PurePosixPath(path)) == path
    return bool(parts) and is_plain and parts[0] != "/" and ".." not in parts and len(path) <= 200


def _is_below(path: str, other: str) -> bool:
    """Return whether one path is a folder on the other path."""
    return path.startswith(f"{other}/") or other.startswith(f"{path}/")
