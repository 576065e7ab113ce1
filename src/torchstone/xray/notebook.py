"""``%%xray``: a cell of a notebook, run by its own kernel, with what PyTorch did below it."""

from __future__ import annotations

import argparse
import shlex
import tomllib
from pathlib import Path
from typing import Any

from torchstone.xray.here import Watch
from torchstone.xray.render.terminal import DRAWINGS, draw
from torchstone.xray.render.text import Say

COLUMNS = 78


def load_ipython_extension(shell: Any) -> None:
    """Register the magic: ``%load_ext torchstone.xray``."""

    def xray(line: str, cell: str) -> None:
        print(run_cell(shell, line, cell))  # noqa: T201  the output of the cell

    shell.register_magic_function(xray, magic_kind="cell")


def run_cell(shell: Any, line: str, cell: str) -> str:
    """Run a cell in the namespace of its notebook; return the drawing of its scene.

    Raises:
        ValueError: The line names a scene that does not exist.
    """
    parser = argparse.ArgumentParser(prog="%%xray", exit_on_error=False)
    parser.add_argument("--scene", choices=sorted(DRAWINGS), default="dispatch")
    parser.add_argument("--lang", choices=("en", "zh"), default="en")
    try:
        given = parser.parse_args(shlex.split(line))
    except argparse.ArgumentError as error:
        raise ValueError(f"%%xray: {error}") from None
    name = "<cell>"
    code = compile(cell, name, "exec")
    with Watch(given.scene, name, shell.user_ns) as watch:
        exec(code, shell.user_ns)
    return drawing(watch.scene, given.lang)


def drawing(scene: dict[str, Any], lang: str = "en", columns: int = COLUMNS) -> str:
    """Return a scene as text."""
    lines = draw(scene, sayer(lang), columns)
    return "\n".join("".join(words for words, _ in line) for line in lines)


def sayer(lang: str) -> Say:
    """Return what says the sentences of the catalogue in a language."""
    file = Path(__file__).parent / "messages" / f"{lang}.toml"
    catalogue = tomllib.loads(file.read_text(encoding="utf-8"))

    def say(key: str, **values: object) -> str:
        found: Any = catalogue
        for part in key.split("."):
            found = found[part]
        return str(found).format(**values)

    return say
