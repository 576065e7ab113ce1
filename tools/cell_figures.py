"""Write the figures that the cells of editorials draw into the folders of their problems.

Usage: ``python tools/cell_figures.py [NUMBER ...] [--check]``; without numbers those of all
problems. The cells run in this process: use it for problems of this repository only.
"""

import argparse
import sys

from torchstone.bank import Problem, load_bank
from torchstone.bank.markdown import python_cells
from torchstone.judge.proof.drawn_figures import draw_figures, drawn_names


def main() -> int:
    """Draw the figures; with ``--check`` print which of them are out of date."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("numbers", nargs="*", help="the problems; default all")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 on a difference"
    )
    options = parser.parse_args()
    bank = load_bank()
    problems = [bank.get(number) for number in options.numbers] or list(bank)
    stale = sum(draw(problem, is_written=not options.check) for problem in problems)
    return 1 if stale and options.check else 0


def draw(problem: Problem, *, is_written: bool) -> int:
    """Draw the figures of one problem; return how many of them were out of date."""
    cells = [cell.source for cell in python_cells(problem.editorial.en)]
    if not drawn_names(cells):
        return 0
    stale = 0
    for name, drawn in draw_figures(cells).items():
        path = problem.path / name
        is_new = not path.is_file() or path.read_text(encoding="utf-8") != drawn
        stale += is_new
        if is_new and is_written:
            path.write_text(drawn, encoding="utf-8")
        what = "as before" if not is_new else "written" if is_written else "out of date"
        sys.stdout.write(f"{problem.path.name}/{name}: {what}\n")
    return stale


if __name__ == "__main__":
    sys.exit(main())
