"""Memory counters by source line: requests, sectors and wavefronts.

A *request* is one instruction of a warp. Global memory answers it in *sectors* of 32 bytes. Shared
memory answers it in *wavefronts*; a wavefront delivers one word of every bank. Counts hold for all
blocks of all launches of one shape; in a large grid they are extrapolated from some of the blocks.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from torchstone.cudasim.arithmetic import count_operations
from torchstone.cudasim.findings import Look, Place, look_up

LOADS = ("global load", "shared load", "constant load")
STORES = ("global store", "shared store")
ATOMICS = ("global atomic", "shared atomic")
SHUFFLES = ("shuffle", "shuffle up", "shuffle down", "shuffle xor")
WARP_OPERATIONS = (*SHUFFLES, "vote", "match", "warp reduce", "warp sync")
_GLOBAL = ("global load", "global store")
_SHARED = ("shared load", "shared store", "shared atomic")
SECTOR_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts of one kind of operation.

    Attributes:
        requests: Instructions of a warp.
        lanes: Lanes that took part, summed over all requests.
        num_bytes: Bytes that the lanes requested.
        sectors: Sectors of 32 bytes that global memory moves.
        ideal_sectors: Sectors that the same words would fill if they were adjacent.
        fresh_sectors: Loaded sectors that the block had not loaded before.
        wavefronts: Passes that shared memory, or the constant cache, needs.
        ideal_wavefronts: Passes that it would need without conflicts.
        contention: Lanes that access the most contended address of an atomic request, summed over
            all requests.
    """

    requests: int = 0
    lanes: int = 0
    num_bytes: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    fresh_sectors: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    contention: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        names = [field.name for field in fields(self)]
        return Tally(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def lanes_per_request(self) -> float:
        """Return the average number of participating lanes, of 32: fewer where a warp diverges."""
        return _ratio(self.lanes, self.requests)

    @property
    def sectors_per_request(self) -> float:
        """Return the sectors that one request moves: 4 where lanes read adjacent floats."""
        return _ratio(self.sectors, self.requests)

    @property
    def efficiency(self) -> float:
        """Return the fraction of the sectors that was needed; 1 where nothing moved."""
        return self.ideal_sectors / self.sectors if self.sectors else 1.0

    @property
    def bank_conflicts(self) -> int:
        """Return the number of wavefronts due to bank conflicts."""
        return self.wavefronts - self.ideal_wavefronts

    @property
    def contention_per_request(self) -> float:
        """Return the number of lanes of an atomic that wait for each other."""
        return _ratio(self.contention, self.requests)


_SUMMED = tuple(field.name for field in fields(Tally) if field.name != "num_bytes")


def _ratio(of: int, by: int) -> float:
    return of / by if by else 0.0


class _Sums:
    """Sums that lines and kernels have in common."""

    __slots__ = ()
    operations: Mapping[str, Tally]

    def total(self, *kinds: str) -> Tally:
        """Return the sum over some kinds of operations: "global load", "shuffle xor", ..."""
        return sum((self.operations[kind] for kind in kinds if kind in self.operations), Tally())

    @property
    def global_memory(self) -> Tally:
        """Return the counts of loads from and stores to global memory."""
        return self.total(*_GLOBAL)

    @property
    def shared_memory(self) -> Tally:
        """Return the counts of all accesses to shared memory."""
        return self.total(*_SHARED)

    @property
    def atomics(self) -> Tally:
        """Return the counts of atomics on global and on shared memory."""
        return self.total(*ATOMICS)

    @property
    def shuffles(self) -> int:
        """Return the number of shuffles of all kinds, counted once per warp."""
        return self.total(*SHUFFLES).requests


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCounters(_Sums):
    """Counters of one line of a kernel.

    Attributes:
        place: The line; None for operations that belong to no line of the program.
        operations: Kind of operation -> its counts.
        flops: Floating-point operations as ``arithmetic`` counts them; None where there is no
            disassembler (objdump).
    """

    place: Place | None
    operations: Mapping[str, Tally]
    flops: int | None = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCounters(_Sums):
    """Counters of a kernel over all its launches of one shape.

    Attributes:
        kernel: The name of the kernel.
        grid: The number of blocks in each direction.
        block: The number of threads in each direction.
        static_bytes: Shared memory that the kernel declares.
        dynamic_bytes: Shared memory that the launch adds.
        launches: The number of launches.
        counted_blocks: The number of blocks that were observed; counts are scaled to all blocks.
        barriers: Barriers that blocks passed.
        store_epochs: The number of intervals between barriers in which shared memory was written.
        operations: Kind of operation -> its counts.
        flops: Floating-point operations; None where there is no disassembler.
        lines: The same by lines, in the order of the source.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    static_bytes: int
    dynamic_bytes: int
    launches: int
    counted_blocks: int
    barriers: int
    store_epochs: int
    operations: Mapping[str, Tally]
    flops: int | None
    lines: tuple[LineCounters, ...]

    @property
    def num_blocks(self) -> int:
        """Return the number of blocks of all launches."""
        return self.grid[0] * self.grid[1] * self.grid[2] * self.launches

    @property
    def num_threads(self) -> int:
        """Return the number of threads of one block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def barriers_per_block(self) -> float:
        """Return the number of barriers that a block passes."""
        return _ratio(self.barriers, self.num_blocks)

    @property
    def store_epochs_per_block(self) -> float:
        """Return the number of intervals between barriers in which a block writes shared memory."""
        return _ratio(self.store_epochs, self.num_blocks)

    @property
    def arithmetic_intensity(self) -> float | None:
        """Compute the floating-point operations per byte of global memory traffic.

        The traffic is that of the second-level cache: a sector counts as often as a request moves
        it. None where operations are not counted, or no byte is moved.

        Source:
            Williams, Waterman and Patterson, "Roofline", 2009, section 3 (operational intensity).
        """
        num_bytes = self.total(*_GLOBAL, "global atomic").sectors * SECTOR_BYTES
        return self.flops / num_bytes if self.flops is not None and num_bytes else None

    def line(self, number: int) -> LineCounters:
        """Return the counters of a line of the program; empty if nothing was counted there."""
        for each in self.lines:
            if each.place is not None and each.place.line == number:
                return each
        return LineCounters(place=None, operations={}, flops=None if self.flops is None else 0)


class CounterLog:
    """Accumulator of the counters of a runtime over several launches."""

    def __init__(self) -> None:
        self._launches: dict[tuple[object, ...], dict[str, Any]] = {}

    def add(self, text: str) -> None:
        """Add counters in the format of ``cusim_counters``."""
        for new in json.loads(text):
            shape = (new["kernel"], *new["grid"], *new["block"], new["dynamic_bytes"])
            places = {(*each["place"], each["what"], each["bytes"]): each for each in new["places"]}
            executed = Counter({(binary, at): count for binary, at, count in new["executed"]})
            known = self._launches.get(shape)
            if known is None:
                self._launches[shape] = new | {"places": places, "executed": executed}
                continue
            known["executed"].update(executed)
            for name in ("launches", "counted_blocks", "barriers", "store_epochs"):
                known[name] += new[name]
            for key, each in places.items():
                old = known["places"].setdefault(key, each)
                for name in _SUMMED if old is not each else ():
                    old[name] += each[name]

    def read(self) -> tuple[KernelCounters, ...]:
        """Return the accumulated counters, with addresses resolved to lines of the program."""
        return _read(
            [
                each
                | {"places": [*each["places"].values()]}
                | {"executed": [(*at, count) for at, count in each["executed"].items()]}
                for each in self._launches.values()
            ]
        )


def read_counters(text: str, *, look: Look | None = None) -> tuple[KernelCounters, ...]:
    """Read the counters of a runtime, and resolve all addresses at once.

    Args:
        text: The output of ``cusim_counters``.
        look: Function that resolves return addresses in a file; None reads the file itself, without
            which operations cannot be counted.
    """
    return _read(json.loads(text), look or look_up)


def _read(raw: list[dict[str, Any]], look: Look = look_up) -> tuple[KernelCounters, ...]:
    # A launch that was refused or failed at once has no counts.
    raw = [each for each in raw if each["counted_blocks"]]
    operations = [_count_operations(each["executed"]) for each in raw]
    wanted: dict[str, set[int]] = {}
    for launches, computed in zip(raw, operations, strict=True):
        for binary, offset in (each["place"] for each in launches["places"]):
            wanted.setdefault(binary, set()).add(offset)
        for binary, offset, _ in computed or ():
            wanted.setdefault(binary, set()).add(offset)
    places = {name: look(name, frozenset(offsets)) for name, offsets in wanted.items()}
    return tuple(
        _read_kernel(each, computed, places) for each, computed in zip(raw, operations, strict=True)
    )


def _count_operations(
    executed: Iterable[tuple[str, int, int]],
) -> list[tuple[str, int, int]] | None:
    """Convert executions of blocks to operations of instructions; None if they are unknown."""
    by_binary: dict[str, dict[int, int]] = {}
    for binary, offset, count in executed:
        by_binary.setdefault(binary, {})[offset] = count
    computed: list[tuple[str, int, int]] = []
    for binary, blocks in by_binary.items():
        counts = count_operations(binary, blocks)
        if counts is None:
            return None
        computed += ((binary, address, count) for address, count in counts)
    return computed


def _read_kernel(
    raw: Mapping[str, Any],
    computed: list[tuple[str, int, int]] | None,
    places: Mapping[str, Mapping[int, Place]],
) -> KernelCounters:
    num_blocks = raw["grid"][0] * raw["grid"][1] * raw["grid"][2] * raw["launches"]
    scale = Fraction(num_blocks, raw["counted_blocks"])
    whole: dict[str, Tally] = {}
    by_line: dict[Place | None, dict[str, Tally]] = {}
    for each in raw["places"]:
        binary, offset = each["place"]
        tally = _read_tally(each, scale)
        for sums in (whole, by_line.setdefault(places[binary].get(offset), {})):
            sums[each["what"]] = sums.get(each["what"], Tally()) + tally
    flops: Counter[Place | None] = Counter()
    for binary, offset, count in computed or ():
        flops[places[binary].get(offset)] += count
    is_known = computed is not None
    lines = (
        LineCounters(
            place=place,
            operations=by_line.get(place, {}),
            flops=round(flops[place] * scale) if is_known else None,
        )
        for place in by_line.keys() | flops.keys()
    )
    return KernelCounters(
        kernel=raw["kernel"],
        grid=_three(raw["grid"]),
        block=_three(raw["block"]),
        static_bytes=raw["static_bytes"],
        dynamic_bytes=raw["dynamic_bytes"],
        launches=raw["launches"],
        counted_blocks=raw["counted_blocks"],
        barriers=round(raw["barriers"] * scale),
        store_epochs=round(raw["store_epochs"] * scale),
        operations=whole,
        flops=round(flops.total() * scale) if is_known else None,
        lines=tuple(sorted(lines, key=_order_in_source)),
    )


def _three(sizes: Iterable[int]) -> tuple[int, int, int]:
    x, y, z = sizes
    return x, y, z


def _read_tally(raw: Mapping[str, Any], scale: Fraction) -> Tally:
    counts = {name: round(raw[name] * scale) for name in _SUMMED}
    return Tally(num_bytes=round(raw["bytes"] * raw["lanes"] * scale), **counts)


def _order_in_source(line: LineCounters) -> tuple[bool, str, int]:
    place = line.place
    return (place is None, place.file if place else "", place.line if place else 0)
