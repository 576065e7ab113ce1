"""Excerpts of a failed process's output, which keep the lines that explain the failure."""

_GAP = "…"


def excerpt(text: str, *, max_chars: int) -> str:
    r"""Shorten a text in its middle: the first and the last line stay.

    The last line of a traceback names the exception. A line that is too long itself loses its
    middle, so the type of the exception and the end of its message stay.

    Args:
        text: What a process wrote, a traceback for example.
        max_chars: The length of the result at most.

    >>> excerpt("first\nsecond\nthird\nlast", max_chars=20)
    'first\n…\nthird\nlast'
    """
    text = text.strip()
    if len(text) <= max_chars:
        return text
    first, _, rest = text.partition("\n")
    if not rest:
        return _shorten_line(first, max_chars)
    first = _shorten_line(first, max_chars // 3)
    room = max_chars - len(first) - len(f"\n{_GAP}\n")
    kept: list[str] = []
    for line in reversed(rest.splitlines()):
        if kept and len(line) + 1 > room:
            break
        kept.append(_shorten_line(line, room))
        room -= len(kept[-1]) + 1
    return "\n".join((first, _GAP, *reversed(kept)))


def _shorten_line(line: str, max_chars: int) -> str:
    if len(line) <= max_chars:
        return line
    half = (max_chars - len(_GAP)) // 2
    return line[:half] + _GAP + line[len(line) - half :]
