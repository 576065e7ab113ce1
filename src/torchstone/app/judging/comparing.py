"""Line diff of two submissions or two texts."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from torchstone.app.home import Home
from torchstone.core.bundle import BadBundle, read_bundle

CONTEXT = 3
# Maximum number of compared pairs of equal lines; they take half a second.
MAX_WORK = 8_000_000

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of a comparison.

    Args:
        mark: A space for a line of both texts, ``-`` for a line of the first only, ``+`` for a line
            of the second only.
        old_line: Its number in the first text, from 1; None if it is not in it.
        new_line: Its number in the second text, likewise.
    """

    mark: str
    old_line: int | None
    new_line: int | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Neighbouring changes, with three lines before and after.

    Args:
        lines: The lines; none for an empty file that is in one package only.
        file: The file of a package, within which lines are counted; None for another text.
    """

    lines: tuple[DiffLine, ...]
    file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The changes from one text to another.

    Args:
        first: The id of the first submission; None for another text.
        second: The id of the second submission; None for another text.
        num_removed: Number of lines in the first text only.
        num_added: Number of lines in the second text only.
        is_coarse: Whether the comparison stopped at its limit, so that some equal lines count as
            replaced.
        hunks: The changes; empty if the texts differ only in line ends.
    """

    first: str | None
    second: str | None
    num_removed: int
    num_added: int
    is_coarse: bool
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """Lines ``old_begin`` to ``old_end`` became ``new_begin`` to ``new_end``, counted from 0."""

    old_begin: int
    old_end: int
    new_begin: int
    new_end: int


def compare_submissions(home: Home, first: str, second: str) -> Comparison:
    """Compare two submissions, each given by a prefix of its id.

    Raises:
        NotFound: No submission has this prefix.
        BadInput: Several ids have this prefix.
    """
    with home.open_store() as store:
        old, new = store.find_submission(first), store.find_submission(second)
    return compare_texts(old.source, new.source, first_id=old.id, second_id=new.id)


def compare_texts(
    first: str, second: str, *, first_id: str | None = None, second_id: str | None = None
) -> Comparison:
    """Compare two texts, and two packages file by file; line ends do not count as a difference.

    The function first removes the common beginning and end, then calls ``difflib``. The time of
    ``difflib`` can grow with the cube of the number of lines if many lines are equal. It compares
    at most eight million pairs of lines, which takes half a second; the remaining lines count as
    replaced. So the function can compare any two texts.
    """
    try:
        packages = read_bundle(first), read_bundle(second)
    except BadBundle:
        found = _compare(first, second, _Work())
    else:
        # Comments may precede the first file.
        before, after = _preamble(first), _preamble(second)
        work = _Work()
        found = _joined([_compare(before, after, work), *_compare_files(*packages, work)])
    return replace(found, first=first_id, second=second_id)


def _preamble(bundle: str) -> str:
    return "" if bundle.startswith("=== ") else bundle[: bundle.index("\n=== ") + 1]


def _compare_files(
    first: Mapping[str, str], second: Mapping[str, str], work: _Work
) -> Iterator[Comparison]:
    """Compare packages: the files of the second in their order, then those of the first only."""
    for path in [*second, *(path for path in first if path not in second)]:
        compared = _compare(first.get(path, ""), second.get(path, ""), work)
        is_bare = not compared.hunks and (path in first) != (path in second)
        hunks = (Hunk(lines=()),) if is_bare else compared.hunks
        named = tuple(replace(hunk, file=path) for hunk in hunks)
        yield replace(compared, hunks=named)


def _joined(found: Sequence[Comparison]) -> Comparison:
    return Comparison(
        first=None,
        second=None,
        num_removed=sum(each.num_removed for each in found),
        num_added=sum(each.num_added for each in found),
        is_coarse=any(each.is_coarse for each in found),
        hunks=tuple(hunk for each in found for hunk in each.hunks),
    )


def _compare(first: str, second: str, work: _Work) -> Comparison:
    old, new = _lines(first), _lines(second)
    rest = _trim(old, new)
    matcher = _Matcher(old[rest.old_begin : rest.old_end], new[rest.new_begin : rest.new_end], work)
    changes = list(_find_changes(matcher, rest))
    return Comparison(
        first=None,
        second=None,
        num_removed=sum(each.old_end - each.old_begin for each in changes),
        num_added=sum(each.new_end - each.new_begin for each in changes),
        is_coarse=matcher.gave_up,
        hunks=tuple(Hunk(lines=tuple(_draw(old, new, near))) for near in _grouped(changes)),
    )


def _lines(text: str) -> list[str]:
    """Split a text as an editor does: a text that ends with a line end has an empty last line."""
    return _LINE_END.split(text) if text else []


def _trim(old: Sequence[str], new: Sequence[str]) -> _Change:
    """Remove the common beginning, then the common end."""
    shorter = min(len(old), len(new))
    begin = 0
    while begin < shorter and old[begin] == new[begin]:
        begin += 1
    num_last = 0
    while num_last < shorter - begin and old[-1 - num_last] == new[-1 - num_last]:
        num_last += 1
    return _Change(
        old_begin=begin,
        old_end=len(old) - num_last,
        new_begin=begin,
        new_end=len(new) - num_last,
    )


@dataclass(slots=True)
class _Work:
    """The number of pairs of lines that may still be compared, over all files."""

    left: int = field(default_factory=lambda: MAX_WORK)


class _Matcher(difflib.SequenceMatcher[str]):
    """Match lines up to a limit of work; after it no lines match."""

    def __init__(self, old: Sequence[str], new: Sequence[str], work: _Work) -> None:
        super().__init__(None, old, new, autojunk=False)
        self._old = old
        self._num_equal = Counter(new)
        self._work = work
        self.gave_up = False

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> difflib.Match:
        """Find the longest equal block, unless the limit is reached."""
        # The search compares each line with every equal line of the other text. The look-up of
        # these takes as long as three comparisons.
        work = sum(3 + self._num_equal[line] for line in self._old[alo:ahi])
        if work > self._work.left:
            self.gave_up = True
            return difflib.Match(alo, blo, 0)
        self._work.left -= work
        return super().find_longest_match(alo, ahi, blo, bhi)


def _find_changes(matcher: _Matcher, rest: _Change) -> Iterator[_Change]:
    for mark, old_begin, old_end, new_begin, new_end in matcher.get_opcodes():
        if mark != "equal":
            yield _Change(
                old_begin=rest.old_begin + old_begin,
                old_end=rest.old_begin + old_end,
                new_begin=rest.new_begin + new_begin,
                new_end=rest.new_begin + new_end,
            )


def _grouped(changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    """Group changes whose contexts overlap."""
    near: list[_Change] = []
    for change in changes:
        if near and change.old_begin - near[-1].old_end > 2 * CONTEXT:
            yield near
            near = []
        near.append(change)
    if near:
        yield near


def _draw(old: Sequence[str], new: Sequence[str], near: Sequence[_Change]) -> Iterator[DiffLine]:
    first = near[0]
    num_before = min(CONTEXT, first.old_begin)
    old_at, new_at = first.old_begin - num_before, first.new_begin - num_before
    for change in near:
        yield from _same(old, range(old_at, change.old_begin), new_at)
        for index in range(change.old_begin, change.old_end):
            yield DiffLine(mark="-", old_line=index + 1, new_line=None, text=old[index])
        for index in range(change.new_begin, change.new_end):
            yield DiffLine(mark="+", old_line=None, new_line=index + 1, text=new[index])
        old_at, new_at = change.old_end, change.new_end
    yield from _same(old, range(old_at, min(old_at + CONTEXT, len(old))), new_at)


def _same(old: Sequence[str], indices: range, new_begin: int) -> Iterator[DiffLine]:
    for number, index in enumerate(indices, start=new_begin + 1):
        yield DiffLine(mark=" ", old_line=index + 1, new_line=number, text=old[index])
