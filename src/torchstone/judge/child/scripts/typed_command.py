"""Launch command as the learner types it: ``torchrun --nproc_per_node=2 train.py ARGS``."""

from __future__ import annotations

import shlex

from ..answering.fault import Fault
from ..protocol.records import Answer, Arguments

MAX_RANKS = 4
# Port of rank 0's store, unless the command names one.
DEFAULT_PORT = 29500
_NUMBERS = {"nproc-per-node": "ranks", "nnodes": "nodes", "master-port": "port"}


def read(command: str) -> Arguments | Fault:
    """Parse a command; return the entries of the act ``launch``, or a fault."""
    try:
        words = shlex.split(command)
    except ValueError:
        return Fault("launch_command")
    by, words = words[:1], words[1:]
    if by == ["python"]:
        numbers: Arguments = {"ranks": 1, "by": "python"}
    elif by == ["torchrun"]:
        taken = _take_options(words)
        if isinstance(taken, Fault):
            return taken
        numbers = taken
    else:
        return Fault("launch_command")
    if not words or not words[0].endswith(".py"):
        return Fault("launch_command")
    return {**numbers, "argv": words[1:]}


def _take_options(words: list[str]) -> Arguments | Fault:
    """Remove torchrun's options from the front of a list of words and return their values."""
    numbers: Arguments = {"ranks": 1, "nodes": 1, "port": DEFAULT_PORT}
    while words and words[0].startswith("-"):
        name, has_value, value = words.pop(0).lstrip("-").partition("=")
        name = name.replace("_", "-")
        if name == "standalone":
            continue
        if name not in _NUMBERS:
            return Fault("launch_command")
        value = value if has_value else (words.pop(0) if words else "")
        if not value.isdecimal():
            return Fault("launch_command")
        numbers[_NUMBERS[name]] = int(value)
    numbers["ranks"] *= numbers["nodes"]
    if numbers["ranks"] == 0:
        return Fault("launch_no_ranks")
    if numbers["ranks"] > MAX_RANKS:
        return Fault("launch_many_ranks", most=MAX_RANKS)
    return numbers


def answer(found: Answer) -> Answer:
    """Return the text for the learner: exit code of each rank, and the files in the folder."""
    told: Answer = {key.rpartition(":")[2]: item for key, item in found.items()}
    shown: Answer = {key: told[key] for key in ("raised", "fault") if key in told}
    ends = [f"{key[: -len(':exit')]}: exit {found[key]}" for key in found if key.endswith(":exit")]
    files = [f"out/{name}: {size} bytes" for name, size, _ in found["files"]]
    return {"text": "\n".join([*ends, *files]), **shown}
