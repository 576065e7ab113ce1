"""The program that parses texts from stdin and writes the first error that the judge would report.

It runs in a process of its own, because some texts need much time or memory, or overflow the stack
of Python's compiler. It imports the standard library only and executes nothing of the text.
"""

import json
import re
import resource
import sys
import tomllib

CPU_SECONDS = 2
MEMORY_BYTES = 1 << 30


def main() -> None:
    """Read a list of languages and texts; write ``null`` or the exception, as one JSON value.

    The exception has the index of its text.
    """
    for limit, value in (
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    texts = json.load(sys.stdin.buffer)
    finds = {"python": find_error, "toml": find_toml_error}
    errors = ((index, finds[name](text)) for index, (name, text) in enumerate(texts))
    first = next(((index, error) for index, error in errors if error), None)
    json.dump(first and {"index": first[0], "error": first[1]}, sys.stdout)


def find_error(source: str) -> dict[str, object] | None:
    """Compile a text as the judge does, and describe the exception; None if there is none."""
    try:
        compile(source, "<text>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        # CPython names no line of some errors, or line 0.
        return {"type": type(error).__name__, "message": message, "line": line or None}
    return None


def find_toml_error(source: str) -> dict[str, object] | None:
    """Parse a text as TOML, and describe the exception; None if there is none."""
    try:
        tomllib.loads(source)
    except (ValueError, RecursionError) as error:
        place = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        line = int(place[1]) if place else None
        return {"type": type(error).__name__, "message": str(error), "line": line}
    return None


if __name__ == "__main__":
    main()
