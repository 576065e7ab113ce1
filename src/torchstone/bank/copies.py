"""Wrong answers and cheats that repeat a right answer where a patch would state the change.

``core.patch`` describes the form. A program that shares little with every right answer stays whole:
its patch would be longer to read than the program.
"""

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import dropwhile

from torchstone.bank.problem import Problem
from torchstone.bank.schema import Language
from torchstone.bank.variant import Variant

# Lines that a patch removes or adds, as a share of the program, up to which it must be a patch.
MOST_CHANGED = 0.25
_COMMENTS = ("#", "//")
_IS_PATCH = ("# over:", "// over:")


def copies(problem: Problem) -> Iterator[tuple[Variant, Variant]]:
    """Yield each wrong answer or cheat that is nearly a right answer, with that answer."""
    bases = [
        (variant, _body(variant.source))
        for variant in (problem.solution, *problem.good)
        if not _is_patch(variant)
    ]
    for variant in (*problem.wrong, *problem.cheats):
        if variant.path.suffix == Language.BUNDLE.suffix or _is_patch(variant):
            continue
        body = _body(variant.source)
        for base, lines in bases:
            if _num_changed(lines, body) <= MOST_CHANGED * len(body):
                yield variant, base
                break


def _is_patch(variant: Variant) -> bool:
    """Return whether the file is a patch; the loaded source is expanded and no longer says so."""
    text = variant.path.read_text(encoding="utf-8")
    return any(line.startswith(_IS_PATCH) for line in text.splitlines() if line[:1] in "#/")


def _body(source: str) -> list[str]:
    return list(dropwhile(lambda line: line.startswith(_COMMENTS), source.split("\n")))


def _num_changed(base: list[str], body: list[str]) -> int:
    """Count the lines that a patch removes and adds."""
    least = abs(len(base) - len(body))
    if least > MOST_CHANGED * len(body):
        return least
    matcher = SequenceMatcher(None, base, body, autojunk=False)
    equal = sum(block.size for block in matcher.get_matching_blocks())
    return len(base) + len(body) - 2 * equal
