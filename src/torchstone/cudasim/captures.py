"""Lambda captures: let lambdas in kernels use ``__shared__`` variables."""

from torchstone.cudasim.edits import Edits
from torchstone.cudasim.shared import SharedName, uses, words_for
from torchstone.cudasim.stream import Program, Stream

# Words after which `[` begins a lambda rather than an index.
_BEFORE_LAMBDAS = frozenset("return else do co_return co_yield throw case".split())
_AFTER_INTRODUCERS = frozenset("mutable constexpr noexcept __device__ __host__".split())


def capture_shared(program: Program, names: list[SharedName], edits: Edits) -> None:
    """Add ``&tile`` to the captures of each lambda that uses the shared variable ``tile``.

    A shared variable is a reference here: ``[]`` could not refer to it, and ``[=]`` would copy it,
    so that the lambda would read the value at its creation.
    """
    code = program.code
    words = {each.name: words_for(each.name, program.macros) for each in names}
    for begin in range(len(code)):
        if code.spelling(begin) != "[" or not names:
            continue
        body = _lambda_body(code, begin)
        if body is None:
            continue
        end = code.partner[begin]
        if code.spelling(begin + 1) == "&" and code.spelling(begin + 2) in (",", "]"):
            continue
        has_captures = end > begin + 1
        for name in _missing(code, names, words, begin, body):
            edits.insert_before(code.tokens[end], f"{', ' if has_captures else ''}&{name}")
            has_captures = True


def _missing(
    code: Stream,
    names: list[SharedName],
    words: dict[str, frozenset[str]],
    begin: int,
    body: tuple[int, int],
) -> list[str]:
    """Return the shared names that a lambda uses and neither captures nor declares."""
    found: list[str] = []
    for each in names:
        in_scope = each.start <= begin < each.stop
        if not in_scope or each.name in found or not uses(code, words[each.name], *body):
            continue
        # A capture or a parameter of the same name takes precedence.
        if not any(code.spelling(k) == each.name for k in range(begin, body[0])):
            found.append(each.name)
    return found


def _lambda_body(code: Stream, begin: int) -> tuple[int, int] | None:
    """Return the braces of the lambda whose captures begin here, or None."""
    end = code.partner[begin]
    before = code.spelling(begin - 1)
    is_operand = code.is_word(begin - 1) and before not in _BEFORE_LAMBDAS
    if end < 0 or is_operand or before in (")", "]", ">", "[") or code.spelling(begin + 1) == "[":
        return None
    place = end + 1
    if code.spelling(place) == "<":
        place = code.match_angle(place, len(code)) + 1
    while code.spelling(place) in _AFTER_INTRODUCERS:
        place += 1
    if code.spelling(place) == "(":
        place = code.partner[place] + 1
    while 0 < place < len(code) and code.spelling(place) != "{":
        if code.spelling(place) in (";", ")", "]", ",", "="):
            return None
        place = code.partner[place] + 1 if code.spelling(place) == "(" else place + 1
    if not 0 < place < len(code) or code.partner[place] < 0:
        return None
    return place, code.partner[place]
