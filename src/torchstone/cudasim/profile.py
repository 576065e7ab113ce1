"""Show what was counted, what it costs, and what nvcc says: as tables, or as JSON.

The JSON adds three members to the report of a check:

- ``counters``: for each kernel and shape of launch an object with ``kernel``, ``grid``, ``block``,
  ``static_bytes``, ``dynamic_bytes``, ``launches``, ``counted_blocks``, ``barriers``,
  ``store_epochs``, ``flops``, ``arithmetic_intensity`` (null where they are not counted),
  ``operations`` and ``lines``. ``operations`` gives for each kind ("global load",
  "shuffle xor", ...) the counts of ``counters.Tally`` and its ratios; each of ``lines`` has
  ``file``, ``line`` (null for what belongs to no line of the program), its own ``flops`` and
  ``operations``.
- ``cost``: in the same order what each costs in the model of ``cost``: ``cycles`` and its parts
- ``nvcc``: null where there is none, or an object with ``arch``, ``error``, ``kernels`` (registers,
  spills, stack and shared bytes of each) and ``occupancy`` (of each shape of launch)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from torchstone.cudasim.cost import Cost, estimate_cost
from torchstone.cudasim.counters import KernelCounters, LineCounters, Tally
from torchstone.cudasim.nvcc import Answer, Occupancy, compute_occupancy

MAX_WIDTH = 100
_RATIOS = ("lanes_per_request", "sectors_per_request", "efficiency", "bank_conflicts",
           "contention_per_request")  # fmt: skip
# Name of a column -> its width.
_COLUMNS = {
    "requests": 9, "lanes": 5, "sectors": 7, "useful": 6, "conflicts": 9, "atomic": 6, "flops": 9,
}  # fmt: skip
_PARTS = ("requests", "global_traffic", "shared_traffic", "atomics", "barriers", "warp_operations")


def profile_as_json(counters: Sequence[KernelCounters], answer: Answer | None) -> dict[str, object]:
    """Give what this module's description lists."""
    nvcc: dict[str, object] | None = None
    if answer is not None:
        nvcc = asdict(answer) | {
            "occupancy": [
                {"kernel": each.kernel, "block": list(each.block),
                 "dynamic_bytes": each.dynamic_bytes, **asdict(occupancy)}
                for each in counters
                if (occupancy := _occupancy_of(each, answer)) is not None
            ]
        }  # fmt: skip
    return {
        "counters": [_as_json(each) for each in counters],
        "cost": [asdict(estimate_cost(each)) for each in counters],
        "nvcc": nvcc,
    }


def _occupancy_of(counters: KernelCounters, answer: Answer) -> Occupancy | None:
    taken = next((each for each in answer.kernels if each.kernel == counters.kernel), None)
    if taken is None:
        return None
    return compute_occupancy(
        taken,
        num_threads=counters.num_threads,
        dynamic_bytes=counters.dynamic_bytes,
        arch=answer.arch,
    )


def _as_json(counters: KernelCounters) -> dict[str, object]:
    return {
        "kernel": counters.kernel,
        "grid": list(counters.grid),
        "block": list(counters.block),
        "static_bytes": counters.static_bytes,
        "dynamic_bytes": counters.dynamic_bytes,
        "launches": counters.launches,
        "counted_blocks": counters.counted_blocks,
        "barriers": counters.barriers,
        "store_epochs": counters.store_epochs,
        "flops": counters.flops,
        "arithmetic_intensity": counters.arithmetic_intensity,
        "operations": _operations_as_json(counters.operations),
        "lines": [
            {
                "file": line.place.file if line.place else None,
                "line": line.place.line if line.place else None,
                "flops": line.flops,
                "operations": _operations_as_json(line.operations),
            }
            for line in counters.lines
        ],
    }


def _operations_as_json(operations: Mapping[str, Tally]) -> dict[str, object]:
    return {
        kind: asdict(tally) | {name: getattr(tally, name) for name in _RATIOS}
        for kind, tally in sorted(operations.items())
    }


def render_profile(
    counters: Iterable[KernelCounters], answer: Answer | None, sources: Mapping[str, str]
) -> str:
    """Draw a table for each kernel, the numbers beside the lines of the source.

    Args:
        counters: What was counted.
        answer: What nvcc says; None where there is none.
        sources: Name of a file -> its text.
    """
    tables = ["\n".join(_render_kernel(each, answer, sources)) for each in counters]
    if answer is not None and answer.error:
        tables.append(f"nvcc refuses the program:\n{answer.error}")
    return "\n\n".join(tables)


def _render_kernel(
    counters: KernelCounters, answer: Answer | None, sources: Mapping[str, str]
) -> Iterator[str]:
    grid, block = (" x ".join(map(str, _trim(each))) for each in (counters.grid, counters.block))
    times = f", {counters.launches} launches" if counters.launches > 1 else ""
    yield f"{counters.kernel}: {grid} blocks of {block} threads{times}"
    shuffles = counters.shuffles / max(counters.num_blocks, 1)
    yield (
        f"  each block: {counters.barriers_per_block:.4g} barriers, shuffles {shuffles:.4g}, "
        f"stores to shared memory in {counters.store_epochs_per_block:.4g} intervals"
    )
    if counters.flops != 0:
        yield f"  arithmetic: {_render_arithmetic(counters)}"
    yield from _render_resources(counters, answer)
    yield f"  cost: {_render_cost(estimate_cost(counters))}"
    yield "  " + " ".join(f"{name:>{width}}" for name, width in _COLUMNS.items()) + "  line"
    for line in counters.lines:
        if line.place is None:
            continue
        text = sources.get(line.place.file, "").split("\n")
        code = text[line.place.line - 1].strip() if line.place.line <= len(text) else ""
        file = "" if line.place.file == next(iter(sources), "") else f"{line.place.file}:"
        shown = f"  {_render_numbers(line)}  {file}{line.place.line}: {code}"
        yield shown[:MAX_WIDTH].rstrip()


def _render_resources(counters: KernelCounters, answer: Answer | None) -> Iterator[str]:
    taken = next((each for each in answer.kernels if each.kernel == counters.kernel), None) if (
        answer
    ) else None  # fmt: skip
    if answer is None or taken is None:
        return
    spilled = taken.spill_store_bytes + taken.spill_load_bytes
    occupancy = _occupancy_of(counters, answer)
    assert occupancy is not None, "what a kernel takes is known"
    yield (
        f"  {answer.arch}: {taken.registers} registers, {spilled} bytes spilled, "
        f"occupancy {100 * occupancy.fraction:.4g}% (limit: {', '.join(occupancy.limits)})"
    )


def _render_arithmetic(counters: KernelCounters) -> str:
    if counters.flops is None:
        return "not counted, objdump (binutils) is missing"
    intensity = counters.arithmetic_intensity
    each = "" if intensity is None else f", {intensity:.3g} for each byte from or to global memory"
    return f"{counters.flops} floating point operations{each}"


def _render_cost(cost: Cost) -> str:
    parts: dict[str, float] = {name: getattr(cost, name) for name in _PARTS}
    work = sum(parts.values()) or 1.0
    dearest = sorted(parts.items(), key=lambda part: -part[1])
    shown = (f"{name.replace('_', ' ')} {100 * part / work:.0f}%" for name, part in dearest if part)
    return f"{cost.cycles:.4g} cycles of the model (a rank, no time): {', '.join(shown)}"


def _trim(sizes: tuple[int, int, int]) -> tuple[int, ...]:
    """Leave out the directions in which there is only one."""
    return sizes if sizes[2] > 1 else sizes[:2] if sizes[1] > 1 else sizes[:1]


def _render_numbers(line: LineCounters) -> str:
    everything = line.total(*line.operations)
    from_global, shared, atomics = line.global_memory, line.shared_memory, line.atomics
    has = {
        "requests": str(everything.requests) * bool(everything.requests),
        "lanes": f"{everything.lanes_per_request:.4g}" * bool(everything.requests),
        "sectors": f"{from_global.sectors_per_request:.4g}" * bool(from_global.requests),
        "useful": f"{100 * from_global.efficiency:.4g}%" * bool(from_global.requests),
        "conflicts": str(shared.bank_conflicts) * bool(shared.requests),
        "atomic": f"{atomics.contention_per_request:.4g}" * bool(atomics.requests),
        "flops": str(line.flops) * bool(line.flops),
    }
    return " ".join(f"{has[name]:>{width}}" for name, width in _COLUMNS.items())
