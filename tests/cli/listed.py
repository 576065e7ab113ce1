"""Find the keys that the public interface lists for the JSON answer of a command line."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LISTED: dict[str, Any] = tomllib.loads(
    (Path(__file__).resolve().parents[2] / "docs/handbook/interface.toml").read_text("utf-8")
)
# What a command answers besides, or instead, when it is given this.
VARIANTS = ("--file", "--input", "--undo", "--version")
# These have an answer of their own when they are given one argument more.
LONGER = {"review": "review PROBLEM", "history": "history ID"}
NUM_SHORT = {"review": 0, "history": 1}
# A person reads these; they refuse --json.
WITHOUT_JSON = ("watch",)
# Nothing but their commands; without one they show how they are used.
GROUPS = ("torchstone", *sorted({path.rpartition(" ")[0] for path in LISTED["commands"]} - {""}))


def listed_keys(arguments: Sequence[str], answer: dict[str, Any]) -> list[str]:
    """Return the keys that are listed for what a command line answers."""
    name = "error" if is_error(answer) else name_of(arguments)
    keys: list[str] = LISTED["json"][name]
    return keys


def is_error(answer: dict[str, Any]) -> bool:
    """Tell whether an answer is the one shape of an error."""
    return answer["ok"] is False and "code" in answer


def name_of(arguments: Sequence[str]) -> str:
    """Name the entry of a command line in the list of JSON keys."""
    words = [word for word in arguments if word != "--json"]
    while words[:1] == ["--lang"]:
        words = words[2:]
    paths = [path.split()[1:] for path in LISTED["commands"]]
    found = max((path for path in paths if words[: len(path)] == path), key=len)
    command, rest = " ".join(found), words[len(found) :]
    for option in VARIANTS:
        if option in rest and (name := f"{command} {option}".strip()) in LISTED["json"]:
            return name
    if command in LONGER and len([w for w in rest if not w.startswith("-")]) > NUM_SHORT[command]:
        return LONGER[command]
    # The program alone serves the page.
    return command or "serve"
