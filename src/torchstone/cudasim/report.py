"""Write findings as a compiler writes its messages, or as JSON.

The JSON of a check is one object:

- ``ok``: whether nothing was found and the program ended with 0
- ``exit_code``: with what the program ended; below 0 the signal that ended it
- ``findings``: a list, in the order in which they were met, of objects with

  - ``kind``: RAW, WAR, WAW, out-of-bounds, ... (``findings.KINDS``)
  - ``message``: what happened, in a sentence; ``hint``: what to do about it
  - ``space``: global, shared, constant, local, host, or empty
  - ``kernel``, ``variable``, ``offset``, ``allocation_bytes``, ``access_bytes``, ``count``
  - ``at`` and ``other``: null, or an object with ``file``, ``line``, ``function`` (null where they
    are not known), ``block``, ``thread`` (three numbers each) and ``write``

- ``counters``, ``cost`` and ``nvcc``: what ``profile`` describes
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from torchstone.cudasim.diagnostics import draw_line
from torchstone.cudasim.findings import RACES, Finding, Party

HINTS = {
    "RAW": "let {barrier} stand between the write and the read.",
    "WAR": "let {barrier} stand between the read and the write that follows.",
    "WAW": "let one thread write, use an atomic operation, or let {barrier} stand between the two.",
    "out-of-bounds": "compare the index with the size before the access: if (i < n) ...",
    "uninitialized": "write every element before it is read: cudaMemset or cudaMemcpy for global "
    "memory; in shared memory the last, partly filled tile is often forgotten.",
    "barrier-divergence": "let all threads of the block reach the same __syncthreads(): take it "
    "out of the if, and let no thread return before it.",
    "warp-divergence": "let all lanes that the mask names reach the same operation of the warp.",
    "invalid-mask": "the mask names the lanes that take part, the calling one among them; take it "
    "from __ballot_sync before the branch.",
    "misaligned": "an access of 8 or 16 bytes (float2, float4) wants an address that is a "
    "multiple of its size; begin at such an index, or access element by element.",
    "use-after-free": "free the memory after the last kernel that uses it.",
    "invalid-free": "free each allocation once, by the function that belongs to it (cudaFree, "
    "cudaFreeHost).",
    "leak": "call cudaFree before the program ends.",
    "host-pointer": "copy the data to memory of cudaMalloc, and pass that address.",
    "device-pointer": "copy the data to the host by cudaMemcpy before the host reads it.",
    "deadlock": "let every thread that the others wait for reach the same barrier or operation.",
    "timeout": "look for a loop that does not end, or that waits for a thread which does not run; "
    "more time is given by --watchdog SECONDS, or compile(watchdog_s=...).",
    "stack-overflow": "keep large arrays in shared or global memory, and recursion shallow.",
    "assert": "the condition does not hold for this thread; print what it is made of.",
    "trap": "do not divide by zero, and return a value from every function that should.",
    "launch": "choose a grid, a block and shared memory within the limits, and look at "
    "cudaGetLastError() after the launch.",
}
_BOLD, _RED, _GREEN, _END = "\x1b[1m", "\x1b[1;31m", "\x1b[1;32m", "\x1b[0m"
_ACCESSES = ("out-of-bounds", "uninitialized", "misaligned", "use-after-free", "host-pointer",
             "device-pointer")  # fmt: skip


def render_findings(
    findings: Iterable[Finding], sources: Mapping[str, str], *, has_color: bool = False
) -> str:
    """Write findings for a person.

    Args:
        findings: What was found.
        sources: Name of a file -> its text.
        has_color: Whether a terminal shows it.
    """
    text = "\n\n".join("\n".join(_Drawing(sources).draw(each)) for each in findings)
    return text if has_color else re.sub("\x1b\\[[0-9;]*m", "", text)


def as_json(finding: Finding) -> dict[str, object]:
    """Give a finding as the object that this module's description lists."""
    return {
        "kind": finding.kind,
        "message": describe(finding),
        "hint": hint(finding),
        "space": finding.space,
        "kernel": finding.kernel,
        "variable": finding.variable,
        "offset": finding.offset,
        "allocation_bytes": finding.allocation_bytes,
        "access_bytes": finding.access_bytes,
        "count": finding.count,
        "at": _party_as_json(finding.at),
        "other": _party_as_json(finding.other),
    }


def _party_as_json(party: Party | None) -> dict[str, object] | None:
    if party is None:
        return None
    place = party.place
    return {
        "file": place.file if place else None,
        "line": place.line if place else None,
        "function": place.function if place else None,
        "block": list(party.block),
        "thread": list(party.thread),
        "write": party.is_write,
    }


def hint(finding: Finding) -> str:
    """Say what to do about a finding."""
    barrier = "__syncthreads()"
    if finding.space == "global" and finding.at and finding.other:
        if finding.at.block != finding.other.block:
            barrier = "the end of the kernel (another launch, or grid.sync())"
    return HINTS[finding.kind].format(barrier=barrier)


def describe(finding: Finding) -> str:
    """Say in a sentence what happened."""
    if finding.kind in RACES:
        return _describe_race(finding)
    if finding.detail:
        return finding.detail
    return _describe_access(finding) if finding.kind in _ACCESSES else finding.kind


def _describe_race(finding: Finding) -> str:
    at, other = finding.at, finding.other
    if at is None:
        return finding.detail
    verb = "writes" if at.is_write else "reads"
    what = _target(finding) or "an address"
    sentence = f"{_who(at)} {verb} {what}"
    if other is None:
        return sentence
    did = "has written" if other.is_write else "has read"
    before = (
        "and neither waits for the other" if finding.kind == "WAW" else "with no barrier between"
    )
    return f"{sentence}, which {_who(other, of=at)} {did}, {before}"


def _describe_access(finding: Finding) -> str:
    at = finding.at
    access = "a write" if at and at.is_write else "a read"
    access += f" of {finding.access_bytes} bytes" if finding.access_bytes else ""
    access = f"{_who(at)}: {access}" if at and finding.kernel else access
    size, offset = finding.allocation_bytes, finding.offset
    whole = finding.variable or f"an allocation of {size} bytes"
    match finding.kind:
        case "out-of-bounds" if offset < 0:
            return f"{access} that begins {-offset} bytes before {whole}"
        case "out-of-bounds" if size:
            behind = offset - size
            where = f"{behind} bytes behind the end of" if behind > 0 else "just behind the end of"
            return f"{access}, {where} {whole}" + (f" ({size} bytes)" if finding.variable else "")
        case "uninitialized":
            return f"{access} of what nobody has written, byte {offset} of {whole}"
        case "misaligned":
            return f"{access} at an address that is no multiple of its size"
        case "use-after-free":
            return f"{access}, byte {offset} of {whole} that is freed"
        case "host-pointer":
            return f"{access} of memory of the host"
        case "device-pointer":
            return f"{access} of memory of the device by the host"
    return f"{access} at an address that belongs to no memory of the device"


def _who(party: Party, *, of: Party | None = None) -> str:
    thread = f"thread {_triple(party.thread)}"
    if of is not None and of.block == party.block:
        return f"{thread} of the same block"
    return f"{thread} of block {_triple(party.block)}"


def _triple(sizes: tuple[int, int, int]) -> str:
    return f"({sizes[0]}, {sizes[1]}, {sizes[2]})"


def _target(finding: Finding) -> str:
    """Say which bytes of what; empty where nothing is known."""
    size = f" of {finding.allocation_bytes}" if finding.allocation_bytes else ""
    if finding.variable:
        return f"{finding.variable} (byte {finding.offset}{size})"
    if finding.allocation_bytes:
        return f"byte {finding.offset} of an allocation of {finding.allocation_bytes} bytes"
    return ""


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Draw findings over the lines of a program."""

    sources: Mapping[str, str]

    def draw(self, finding: Finding) -> list[str]:
        """Draw one finding."""
        title = f"{_RED}{self._title(finding)}:{_END} {_BOLD}{describe(finding)}{_END}"
        lines = [f"{_BOLD}{self._place(finding.at)}{_END}{title}", *self._line(finding.at, finding)]
        if finding.other is not None:
            lines.append(f"{_BOLD}{self._place(finding.other)}{_END}{self._role(finding)}")
            lines += self._line(finding.other, finding)
        lines += [f"        {name}: {value}" for name, value in self._facts(finding)]
        return [*lines, f"        {_GREEN}hint:{_END} {hint(finding)}"]

    def _title(self, finding: Finding) -> str:
        if finding.kind in RACES:
            return f"{finding.kind} race" + f" in {finding.space} memory" * bool(finding.space)
        return finding.kind

    def _place(self, party: Party | None) -> str:
        place = party.place if party else None
        return f"{place.file}:{place.line}: " if place else ""

    def _role(self, finding: Finding) -> str:
        assert finding.other is not None, "only who is there has a role"
        if finding.kind not in RACES:
            return f"the other: {_who(finding.other)}"
        return f"the other {'write' if finding.other.is_write else 'read'}: {_who(finding.other)}"

    def _line(self, party: Party | None, finding: Finding) -> list[str]:
        """Draw the line of a party, with the variable or else the whole statement marked."""
        place = party.place if party else None
        lines = self.sources.get(place.file, "").split("\n") if place else []
        if place is None or not 0 < place.line <= len(lines):
            return []
        line = lines[place.line - 1].rstrip()
        name = finding.variable
        named = re.search(rf"\b{re.escape(name)}\b", line) if name.isidentifier() else None
        code = re.search(r"\S.*?(?=\s*(?://.*)?$)", line)
        match = named or code
        if match is None:
            return []
        return draw_line(line, place.line, begin=match.start(), end=match.end())

    def _facts(self, finding: Finding) -> Iterable[tuple[str, str]]:
        if finding.kernel:
            at = f", {_who(finding.at)}" if finding.at and finding.kind not in RACES else ""
            yield "kernel", f"{finding.kernel}{at}"
        target = _target(finding)
        if target and finding.kind not in (*RACES, "leak"):
            yield "memory", target
        if finding.count > 1:
            yield "met", f"{finding.count} times"
