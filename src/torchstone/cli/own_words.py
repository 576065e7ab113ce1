"""Which words of a command line are ours, and which belong to the program that it runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

COMMAND = ("doctor", "run")
# Those of ``doctor run``: with a value, and without.
VALUED = ("--steps", "--limit", "--nproc", "--out", "--lang")
FLAGS = ("-m", "--module", "--json", "--help")
XRAY = "xray"
# A file is what it is asked about most; the word may be left out.
XRAY_FILE, XRAY_OTHERS = "file", ("table", "diff", "selftest", "--help")
# Those of every command.
EVERYWHERE = ("--json", "--lang")


def set_apart(words: Sequence[str]) -> list[str]:
    """Put ``--`` before the program of ``doctor run``, so that its words are left alone.

    Our options come before the program. If none does, they may come last on the line; those that
    every command has always may.

    >>> set_apart(["doctor", "run", "--limit", "60", "train.py", "--steps", "9"])
    ['doctor', 'run', '--limit', '60', '--', 'train.py', '--steps', '9']
    >>> set_apart(["doctor", "run", "train.py", "--lr", "1", "--steps", "9", "--json"])
    ['doctor', 'run', '--steps', '9', '--json', '--', 'train.py', '--lr', '1']
    >>> set_apart(["xray", "net.py", "--json"])
    ['xray', 'file', 'net.py', '--json']
    """
    leading = _num_leading(words)
    if list(words[leading : leading + 1]) == [XRAY]:
        return _with_file(list(words), leading + 1)
    at = leading + len(COMMAND)
    if tuple(words[leading:at]) != COMMAND:
        return list(words)
    given = list(words[at:])
    num_before = _num_leading(given)
    before, rest = given[:num_before], given[num_before:]
    if not rest or rest[0].startswith("-"):
        # No program, an option that there is not, or it is set apart already.
        return list(words)
    last = 0 if "--" in rest else _num_last(rest, EVERYWHERE if num_before else (*VALUED, *FLAGS))
    behind = rest[len(rest) - last :]
    program = rest[: len(rest) - last]
    if program[1:2] == ["--"]:
        del program[1]
    return [*words[:at], *before, *behind, "--", *program]


def _with_file(words: list[str], at: int) -> list[str]:
    """Put the command behind ``xray`` that a file alone means."""
    rest = words[at + _num_leading(words[at:]) :]
    if not rest or rest[0] in (XRAY_FILE, *XRAY_OTHERS):
        return words
    return [*words[:at], XRAY_FILE, *words[at:]]


def _num_leading(words: Sequence[str]) -> int:
    """Return how many words are options of ours, with their values, from the first one on."""
    at = 0
    while at < len(words) and (size := _size(words[at])):
        at += size
    return min(at, len(words))


def _num_last(words: Sequence[str], names: Sequence[str]) -> int:
    """Return how many words are options of some names, with their values, up to the last one."""
    for at in range(1, len(words)):
        rest = words[at:]
        is_ours = _size(rest[0]) and _num_leading(rest) == len(rest)
        if is_ours and all(name.partition("=")[0] in names for name in _names(rest)):
            return len(rest)
    return 0


def _names(words: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(words):
        yield words[at]
        at += _size(words[at])


def _size(word: str) -> int:
    """Return how many words an option takes; 0 if it is none of ours."""
    name, equals, _ = word.partition("=")
    if name in VALUED:
        return 1 if equals else 2
    return 1 if word in FLAGS else 0
