"""Location of a missing barrier, from the lines of a race and the last barrier."""

from dataclasses import dataclass

from torchstone.cudasim.findings import RACES, Finding, Party
from torchstone.cudasim.tokens import Token, tokenize

_LANES = 32
# Bounds the nesting, because each token stores the braces around it.
_MOST_LEVELS = 64
_LOOPS = ("for", "while", "do")
_BLOCK, _WARP = "__syncthreads();", "__syncwarp();"


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingBarrier:
    """Position of a missing barrier.

    Attributes:
        line: The line before which it belongs, from 1.
        call: The missing statement.
    """

    line: int
    call: str


def find_missing_barrier(finding: Finding, source: str) -> MissingBarrier | None:
    """Return where a barrier separates the two accesses of a race; None if no such place is known.

    The last barrier that both threads passed tells on which side of the loop the new one belongs:
    if it lies between the two lines, the later access belongs to the next iteration.

    Args:
        finding: A race between two threads of one block.
        source: The text of the file that contains both lines.
    """
    at, other = finding.at, finding.other
    if finding.kind not in RACES or finding.detail or at is None or other is None:
        return None
    first, second = at.place, other.place
    if first is None or second is None or at.block != other.block:
        return None
    if (first.file, first.function) != (second.file, second.function):
        return None
    low, high = sorted((first.line, second.line))
    passed = finding.barrier.line if finding.barrier is not None else 0
    try:
        text = _Text(source)
    except ValueError:
        return None
    place = text.between(low, high, passed)
    if place is None:
        return None
    is_narrow = warp_of(at, finding.size) == warp_of(other, finding.size)
    return MissingBarrier(
        line=text.line_of(place), call=_WARP if is_narrow and text.is_conditional(place) else _BLOCK
    )


def warp_of(party: Party, size: tuple[int, int, int]) -> int:
    """Return the number of a thread's warp in its block."""
    return rank_of(party, size) // _LANES


def rank_of(party: Party, size: tuple[int, int, int]) -> int:
    """Return the number of a thread in its block: ``threadIdx.x`` varies fastest."""
    x, y, z = party.thread
    return x + size[0] * (y + size[1] * z)


class _Text:
    """Code of a source, with the braces around each token."""

    def __init__(self, source: str) -> None:
        self._tokens = [each for each in tokenize(source) if each.is_code and each.directive == 0]
        self._around: list[tuple[int, ...]] = []
        self._in_brackets: list[int] = []
        self._closed: dict[int, int] = {}
        stack: list[int] = []
        depth = 0
        for place, token in enumerate(self._tokens):
            if token.spelling == "}" and stack:
                self._closed[place] = stack.pop()
            depth -= token.spelling in (")", "]")
            self._around.append(tuple(stack))
            self._in_brackets.append(depth)
            depth += token.spelling in ("(", "[")
            if token.spelling == "{":
                stack.append(place)
            if len(stack) > _MOST_LEVELS:
                raise ValueError(f"more than {_MOST_LEVELS} blocks inside each other")

    def between(self, low: int, high: int, passed: int) -> int | None:
        """Return the token before which a barrier separates two lines.

        Args:
            low: The line of one access.
            high: The line of the other, not above ``low``.
            passed: The line of the last barrier before both; 0 if there is none.
        """
        begin, end = self._at(low), self._at(high)
        if begin is None or end is None:
            return None
        shared = tuple(
            one for one, other in zip(self._around[begin], self._around[end], strict=False)
            if one == other
        )  # fmt: skip
        if low < high and not low < passed <= high:
            return self._checked(self._start_of(end, shared), after=begin) if shared else None
        loop = next((each for each in reversed(shared) if self._is_loop(each)), None)
        barrier = self._at(passed) if passed else None
        if loop is None or (low == high and barrier is not None and loop in self._around[barrier]):
            return None
        return self._checked(self._end_of(end, loop), after=end)

    def line_of(self, place: int) -> int:
        """Return the line of a token."""
        return self._tokens[place].line

    def is_conditional(self, place: int) -> bool:
        """Return whether the statement before a token is controlled by an ``if``."""
        return any(self._keyword(each) in ("if", "else") for each in self._around[place])

    def _at(self, line: int) -> int | None:
        """Return the first token of a line."""
        return next((at for at, each in enumerate(self._tokens) if each.line == line), None)

    def _checked(self, place: int | None, *, after: int) -> int | None:
        """Return a token if it is the first of its line and comes after another token."""
        if place is None or place <= after or place >= len(self._tokens):
            return None
        return place if self.line_of(place - 1) < self.line_of(place) else None

    def _start_of(self, place: int, shared: tuple[int, ...]) -> int | None:
        """Return the first token of the statement in the innermost shared block."""
        for at in range(place - 1, -1, -1):
            if self._ends_statement(at, shared[-1]) or at == shared[-1]:
                return at + 1
        return None

    def _end_of(self, place: int, block: int) -> int | None:
        """Return the first token behind the statement in a block."""
        for at in range(place, len(self._tokens)):
            if self._ends_statement(at, block):
                return at + 1
            if self._closed.get(at) == block:
                return at
        return None

    def _ends_statement(self, place: int, block: int) -> bool:
        token, around = self._tokens[place], self._around[place]
        if not around or around[-1] != block or self._is_in_brackets(place, block):
            return False
        if place + 1 < len(self._tokens) and self._tokens[place + 1].spelling == "else":
            return False
        return token.spelling == ";" or (token.spelling == "}" and place in self._closed)

    def _is_in_brackets(self, place: int, block: int) -> bool:
        return self._in_brackets[place] > self._in_brackets[block]

    def _is_loop(self, brace: int) -> bool:
        return self._keyword(brace) in _LOOPS

    def _keyword(self, brace: int) -> str:
        """Return the keyword of a block: ``for``, ``if``, or another one."""
        at = brace - 1
        if at >= 0 and self._tokens[at].spelling == ")":
            depth = self._in_brackets[at]
            while at >= 0 and not self._opens(self._tokens[at], self._in_brackets[at], depth):
                at -= 1
            at -= 1
        if at > 0 and self._tokens[at].spelling == "constexpr":
            at -= 1
        return self._tokens[at].spelling if at >= 0 else ""

    @staticmethod
    def _opens(token: Token, depth: int, wanted: int) -> bool:
        return token.spelling == "(" and depth == wanted
