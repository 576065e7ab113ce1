"""Templates of ``templates/``: text files with ``{placeholders}`` and the suffix .txt."""

from collections.abc import Iterator
from pathlib import Path

_TEMPLATES = Path(__file__).resolve().parent / "templates"


def fill(kind: str, name: str, /, **values: object) -> str:
    """Fill in one template, e.g. ``fill("problem", "starter.py", slug="softmax", ...)``."""
    template = (_TEMPLATES / kind / f"{name}.txt").read_text(encoding="utf-8")
    return template.format_map(values)


def names(kind: str) -> Iterator[str]:
    """List the files of the templates of one kind, in order."""
    root = _TEMPLATES / kind
    for path in sorted(root.rglob("*.txt")):
        yield path.relative_to(root).as_posix().removesuffix(".txt")
