"""Findings of the runtime checks, with addresses resolved to source lines."""

import functools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torchstone.cudasim.diagnostics import name_of_source

RACES = ("RAW", "WAR", "WAW")
KINDS = (
    *RACES, "out-of-bounds", "uninitialized", "barrier-divergence", "warp-divergence",
    "invalid-mask", "misaligned", "use-after-free", "invalid-free", "leak", "host-pointer",
    "device-pointer", "deadlock", "timeout", "stack-overflow", "assert", "trap", "launch",
)  # fmt: skip
# A file and return addresses in it -> the lines of those in the program's own files.
Look = Callable[[str, frozenset[int]], Mapping[int, "Place"]]
_SYMBOLISERS = ("addr2line", "llvm-addr2line")
_SYMBOLISE_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Position in the program.

    Attributes:
        file: The file name as messages show it.
        line: The line, from 1.
        function: The name of the enclosing function.
    """

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """Thread that takes part in a finding.

    Attributes:
        place: Its position in the source; None if unknown.
        block: Its ``blockIdx``.
        thread: Its ``threadIdx``.
        is_write: Whether it wrote.
    """

    place: Place | None
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    is_write: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact, independent of language; ``report.describe`` states it in one.

    Attributes:
        say: The key of its sentence among the facts of the catalogue: "never-freed".
        values: The values of the sentence, each with its name.
    """

    say: str
    values: tuple[tuple[str, int | str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One error that the runtime detected.

    Attributes:
        kind: One of ``KINDS``.
        space: global, shared, constant, local or host; empty where it does not apply.
        detail: Further facts; may be empty.
        variable: The variable concerned; may be empty.
        kernel: The kernel that ran; empty if none did.
        at: The thread that detected it; None outside of kernels.
        other: The other thread of a race or of a conflict.
        barrier: The last barrier that both threads of a race passed; None if there is none.
        size: The number of threads of a block in each direction; zeros if unknown.
        arrived: The lanes that wait together with ``at``, as a mask for each warp of the block.
        offset: Bytes from the beginning of the variable or the allocation.
        allocation_bytes: The size of the variable or the allocation; 0 if unknown.
        access_bytes: The size of the access; 0 if there was none, or it is unknown.
        count: The number of occurrences at this position.
    """

    kind: str
    space: str = ""
    detail: tuple[Fact, ...] = ()
    variable: str = ""
    kernel: str = ""
    at: Party | None = None
    other: Party | None = None
    barrier: Place | None = None
    size: tuple[int, int, int] = (0, 0, 0)
    arrived: tuple[int, ...] = ()
    offset: int = 0
    allocation_bytes: int = 0
    access_bytes: int = 0
    count: int = 1

    @property
    def place(self) -> Place | None:
        """Return the position at which the finding is reported."""
        return self.at.place if self.at is not None else None


def read_findings(text: str, *, look: Look | None = None) -> tuple[Finding, ...]:
    """Read the findings of a runtime, and resolve all addresses at once.

    Args:
        text: The output of ``cusim_findings``.
        look: Function that resolves return addresses in a file; None reads the file itself.
    """
    look = look or look_up
    raw: list[dict[str, Any]] = json.loads(text)
    wanted: dict[str, set[int]] = {}
    for each in raw:
        for party in (each["at"], each["other"]):
            if party and party["place"]:
                wanted.setdefault(party["place"][0], set()).add(party["place"][1])
        if barrier := each.get("barrier"):
            wanted.setdefault(barrier[0], set()).add(barrier[1])
    places = {name: look(name, frozenset(offsets)) for name, offsets in wanted.items()}

    def find(place: list[Any] | None) -> Place | None:
        return places[place[0]].get(place[1]) if place else None

    return merge_findings(_read_one(each, find) for each in raw)


def _read_one(raw: Mapping[str, Any], find: Callable[[Any], Place | None]) -> Finding:
    def read_party(party: Mapping[str, Any] | None) -> Party | None:
        if party is None:
            return None
        (x, y, z), (tx, ty, tz) = party["block"], party["thread"]
        return Party(
            place=find(party["place"]), block=(x, y, z), thread=(tx, ty, tz),
            is_write=party["write"],
        )  # fmt: skip

    names = ("kind", "space", "variable", "kernel", "offset", "allocation_bytes",
             "access_bytes", "count")  # fmt: skip
    return Finding(
        at=read_party(raw["at"]),
        other=read_party(raw["other"]),
        barrier=find(raw.get("barrier")),
        size=_three(raw.get("size", (0, 0, 0))),
        arrived=tuple(raw.get("arrived", ())),
        detail=tuple(
            Fact(say=each["say"], values=tuple(each["with"].items())) for each in raw["detail"]
        ),
        **{name: raw[name] for name in names},
    )


def _three(sizes: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = sizes
    return x, y, z


def merge_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Merge findings of one kind at one position: keep the first, with the count of all."""
    kept: dict[tuple[object, ...], Finding] = {}
    for each in findings:
        other = each.other.place if each.other else None
        # Findings without a position are distinguished by their facts.
        facts = each.detail if each.place is None else ()
        key = (each.kind, each.space, each.variable, each.kernel, each.place, other, facts)
        known = kept.get(key)
        kept[key] = replace(known, count=known.count + each.count) if known else each
    return tuple(kept.values())


@functools.lru_cache(maxsize=64)
def look_up(binary: str, offsets: frozenset[int]) -> dict[int, Place]:
    """Return the lines of return addresses; those outside of the program are omitted."""
    tool = next(filter(None, map(shutil.which, _SYMBOLISERS)), None)
    if tool is None or not Path(binary).is_file():
        return {}
    # The call instruction ends just before its return address.
    addresses = {offset - 1: offset for offset in offsets}
    try:
        done = subprocess.run(
            [tool, "-f", "-i", "-C", "-a", "-e", binary, *map(hex, addresses)],
            capture_output=True, text=True, errors="replace", check=False,
            timeout=_SYMBOLISE_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {}
    places: dict[int, Place] = {}
    for address, frames in _read_frames(done.stdout.splitlines()):
        own = next((frame for frame in frames if frame is not None), None)
        if own is not None and address in addresses:
            places[addresses[address]] = own
    return places


def _read_frames(lines: list[str]) -> Iterable[tuple[int, list[Place | None]]]:
    """Yield each address with its frames, the innermost first; None stands for a header."""
    address, frames, function = -1, list[Place | None](), ""
    is_function = True
    for line in lines:
        if re.fullmatch(r"0x[0-9a-f]+", line):
            yield address, frames
            address, frames, is_function = int(line, 16), [], True
        elif is_function:
            function, is_function = line, False
        else:
            frames.append(_read_place(line, function))
            is_function = True
    yield address, frames


def _read_place(line: str, function: str) -> Place | None:
    file, _, number = re.sub(r" \(discriminator \d+\)$", "", line).rpartition(":")
    # The program's own files have relative names, whatever folder they are built in.
    if not number.isdigit() or int(number) == 0 or os.path.isabs(file) or file.startswith("?"):
        return None
    return Place(file=name_of_source(file), line=int(number), function=bare_name(function))


def bare_name(function: str) -> str:
    """Return a function name without its parameters and the return type of a template."""
    name = re.sub(r"\(.*", "", function.replace("(anonymous namespace)", "{anonymous}"))
    return name.split(" ")[-1] if "<" not in name else re.sub(r"^(?:void|[\w:]+) (?=\w)", "", name)
