"""Figures drawn by the cells of an editorial.

A cell that assigns an SVG text to a name such as ``figure_scene`` draws the file
``figure_scene.svg`` of the problem's folder. `draw_figures` returns the drawn figures;
``tools/cell_figures.py`` writes them. The proof of a problem runs the cells and then
`comparison_cell`, which fails where a file differs from its cell's figure.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

_DRAWN = re.compile(r"^(figure_[a-z0-9_]+) = ", re.MULTILINE)
_COMPARISON = """\
from hashlib import sha256 as _sha256
for _name, _digest in {digests!r}.items():
    _drawn = _sha256(globals()[_name].encode()).hexdigest()
    assert _drawn == _digest, f"{{_name}}.svg is not what the cells draw: use tools/cell_figures.py"
"""


def drawn_names(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the figures that cells draw, in order, each once."""
    return tuple(dict.fromkeys(name for cell in cells for name in _DRAWN.findall(cell)))


def comparison_cell(cells: Sequence[str], folder: Path) -> str:
    """Return a cell that compares the figures of the cells before it with the files of a folder.

    A missing file differs from any figure. Without drawn figures the cell is empty.
    """
    names = drawn_names(cells)
    if not names:
        return ""
    return _COMPARISON.format(digests={name: _digest(folder / f"{name}.svg") for name in names})


def draw_figures(cells: Sequence[str]) -> dict[str, str]:
    """Run the cells in this process; return the text of each figure by its file name."""
    scope: dict[str, object] = {"__name__": "__main__"}
    for cell in cells:
        exec(compile(cell, "<cell>", "exec"), scope)
    return {f"{name}.svg": str(scope[name]) for name in drawn_names(cells)}


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
