"""Excerpts of a failed process's output that keep the lines with the cause."""

_GAP = "…"


def excerpt(text: str, *, max_chars: int) -> str:
    r"""Shorten a text in its middle and keep the first and the last line.

    The last line of a traceback names the exception. A single line that is too long is shortened in
    its middle, so the type of the exception and the end of its message stay.

    Args:
        text: The output of a process, such as a traceback.
        max_chars: The maximum length of the result.

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
