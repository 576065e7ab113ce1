"""Find the keys that the public interface lists for the JSON answer of a command line."""

import json
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from torchstone.cli.own_words import set_apart

FILE = "docs/handbook/interface.toml"
LISTED: dict[str, Any] = tomllib.loads(
    (Path(__file__).resolve().parents[2] / FILE).read_text("utf-8")
)
# What a command answers besides, or instead, when it is given this.
VARIANTS = ("--answer", "--file", "--input", "--undo", "--version")
# These have an answer of their own when they are given one argument more.
LONGER = {"review": "review PROBLEM", "history": "history ID"}
NUM_SHORT = {"review": 0, "history": 1}
# A person reads these; they refuse --json.
WITHOUT_JSON = ("watch", "interview conduct", "interview seat")
# Nothing but their commands; without one they show how they are used.
GROUPS = ("torchstone", *sorted({path.rpartition(" ")[0] for path in LISTED["commands"]} - {""}))


def require_listed_answer(arguments: Sequence[str], answer: dict[str, Any]) -> None:
    """Compare the JSON keys that a command line answers with those listed for it."""
    name = "error" if is_error(answer) else name_of(arguments)
    if name == "xray file" and (scene := answer.get("scene", "all")) != "dispatch":
        name = f"{name}: {scene}"
    require_listed(name, answer, command=" ".join(["torchstone", *arguments]))


def require_listed(name: str, keys: Iterable[str], *, command: str | None = None) -> None:
    """Compare the JSON keys of an answer with the list, which must name them sorted.

    Args:
        name: The entry under ``[json]``.
        keys: The keys that came.
        command: The command line that answered, where the name does not say it.

    Raises:
        AssertionError: They differ; the message names the command, the keys and the file to change.
    """
    came = sorted(keys)
    listed: list[str] | None = LISTED["json"].get(name)
    if came == listed:
        return
    found = [
        f"{what} {', '.join(each)}"
        for what, each in (
            ("it does not list", sorted(set(came) - set(listed or ()))),
            ("no answer has", sorted(set(listed or ()) - set(came))),
        )
        if each
    ]
    raise AssertionError(
        f"`{command or f'torchstone {name}'}` and {FILE} differ: under [json], "
        f'"{name}": {"; ".join(found) or "the keys are not sorted"}. Change that line, or the '
        f'answer. The line: "{name}" = {json.dumps(came)}'
    )


def is_error(answer: dict[str, Any]) -> bool:
    """Tell whether an answer is the one shape of an error."""
    return answer["ok"] is False and "code" in answer


def name_of(arguments: Sequence[str]) -> str:
    """Name the entry of a command line in the list of JSON keys."""
    words = [word for word in set_apart(arguments) if word != "--json"]
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
