"""``simulate``: train a small network on ranks that are threads, and compare with one process."""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchstone.distributed import timeline
from torchstone.distributed.refusal import Phrase, Refusal

if TYPE_CHECKING:
    from torch import Tensor

    from torchstone.distributed.comm.threads import Link
    from torchstone.distributed.simulated import Report, Trained
    from torchstone.distributed.simulated_time import Speed
    from torchstone.distributed.world import World

PARALLEL = ("ddp", "zero1", "zero2", "zero3")
# Each rank has a copy of the network, and ranks run in turn: this many take seconds.
MOST_RANKS = 64
MOST_STEPS = 1000
LEAST_GFLOPS, MOST_GFLOPS = 0.001, 1_000_000
_UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)bit(?:/s)?", re.IGNORECASE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--world", type=int, default=4, metavar="N", help="ranks")
    parser.add_argument("--parallel", default="ddp", help=", ".join(PARALLEL))
    parser.add_argument("--steps", type=int, default=3, metavar="K")
    parser.add_argument(
        "--link", metavar="1gbit", help="what connects the ranks; time is then that of its bytes"
    )
    parser.add_argument(
        "--gflops",
        type=float,
        metavar="G",
        help="1e9 operations a second and rank, with a link; else computing takes no time",
    )
    parser.add_argument(
        "--slow", metavar="1x3", help="a rank, and how many times longer it computes"
    )
    parser.add_argument(
        "--timeline", type=Path, metavar="FILE", help="a picture: .svg, .html; or its data: .json"
    )


def events(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the start, the steps, and the result.

    Raises:
        Refusal: There are too many ranks or steps, the link is invalid, or the timeline file cannot
            be written.
    """
    _check(given)
    bytes_s = None if given.link is None else _bytes_s_of(given.link)
    slow = _slow_of(given)
    from torchstone.distributed import simulated
    from torchstone.distributed.comm.threads import Link
    from torchstone.distributed.simulated_time import Speed

    link = None if bytes_s is None else Link(bandwidth_bytes_s=bytes_s)
    speed = None if given.gflops is None else Speed(flops_s=1e9 * given.gflops, slow=slow)
    yield {
        "event": "begin",
        "world": given.world,
        "parallel": given.parallel,
        "steps": given.steps,
    }
    ranks: list[Trained] = yield from _steps(given, link, speed)
    seconds = _step_seconds(ranks, is_simulated=link is not None)
    drawn = _timeline(ranks)
    wanted = simulated.train_alone(given.world, given.steps)
    result = _result(given, ranks, wanted, seconds, bubble=drawn.bubble)
    if given.timeline is not None:
        drawn.write(given.timeline, lang=given.lang)
    yield result


def _timeline(ranks: Sequence[Trained]) -> timeline.Timeline:
    return timeline.of(
        [rank.entries[: rank.ends[-1]] for rank in ranks],
        compute=[
            [(each.start_s, each.end_s, each.label) for each in rank.activity.computed]
            for rank in ranks
        ],
        waits=[rank.activity.waited for rank in ranks],
    )


def _steps(
    given: argparse.Namespace, link: Link | None, speed: Speed | None
) -> Generator[dict[str, Any], None, list[Trained]]:
    """Train, and yield each step when all ranks have completed it; return their results."""
    from torchstone.distributed import simulated
    from torchstone.distributed.reported import Reported
    from torchstone.distributed.simulated_time import computing

    is_plain = given.parallel == "ddp"

    def train(world: World, report: Report) -> Trained:
        with computing(speed):
            if is_plain:
                return simulated.train_data_parallel(world, given.steps, report)
            return simulated.train_zero(int(given.parallel[-1]))(world, given.steps, report)

    reported = Reported(train, given.world, link=link)
    for step in reported.steps():
        yield {
            "event": "step",
            "step": step.number + 1,
            "loss": step.loss,
            "ms": 1e3 * (step.end_s - step.start_s),
        }
    return reported.ranks


def _check(given: argparse.Namespace) -> None:
    """Raise an error for values out of range, before anything is imported."""
    if given.world < 1:
        raise Refusal("world_number", came=given.world)
    if given.world > MOST_RANKS:
        what = Phrase("tool_simulate")
        raise Refusal("world_limit", came=given.world, what=what, most=MOST_RANKS)
    if given.parallel not in PARALLEL:
        raise Refusal("choice", name="--parallel", came=given.parallel, wanted=PARALLEL)
    if not 1 <= given.steps <= MOST_STEPS:
        raise Refusal("number", name="--steps", came=given.steps, wanted=f"1 … {MOST_STEPS}")
    if given.gflops is not None and not LEAST_GFLOPS <= given.gflops <= MOST_GFLOPS:
        raise Refusal("speed", came=str(given.gflops), least=LEAST_GFLOPS, most=MOST_GFLOPS)
    if given.gflops is not None and given.link is None:
        raise Refusal("speed_link")
    if given.timeline is not None:
        timeline.require_new(given.timeline)


def _bytes_s_of(words: str) -> float:
    """Return the bytes per second of a rate such as ``1gbit`` or ``500 Mbit/s``."""
    found = _RATE.fullmatch(words.strip())
    if found is None or float(found[1]) <= 0:
        raise Refusal("rate", came=words)
    return float(found[1]) * _UNITS[found[2].lower()] / 8


def _slow_of(given: argparse.Namespace) -> tuple[int, float] | None:
    """Return the slow rank, and the factor by which it is slower; None if there is none."""
    if given.slow is None:
        return None
    if given.gflops is None:
        raise Refusal("slow_speed")
    found = re.fullmatch(r"(\d{1,6})x(\d{1,6}(?:\.\d{1,6})?)", given.slow, re.ASCII)
    rank, factor = (int(found[1]), float(found[2])) if found else (0, 0.0)
    if factor < 1 or rank >= given.world:
        raise Refusal("slow_rank", came=given.slow, last=given.world - 1)
    return rank, factor


def _step_seconds(ranks: Sequence[Trained], *, is_simulated: bool) -> list[float]:
    """Return the duration of each step, until the last rank has completed it.

    Simulated time advances with communication, and with computing if that has a speed.
    """
    clocks = [rank.ledger_s if is_simulated else rank.clock_s for rank in ranks]
    ends = [max(times) for times in zip(*clocks, strict=True)]
    return [after - before for before, after in itertools.pairwise(ends)]


def _result(
    given: argparse.Namespace,
    ranks: Sequence[Trained],
    wanted: dict[str, Tensor],
    seconds: Sequence[float],
    *,
    bubble: float | None,
) -> dict[str, Any]:
    is_equal = _is_equal(ranks, wanted)
    fullest = max(ranks, key=lambda rank: sum(rank.memory.values()))
    sent = _sent(max(ranks, key=lambda rank: sum(_sent(rank).values())))
    size = sum(each.numel() * each.element_size() for each in wanted.values())
    ideal = given.steps * 2 * (given.world - 1) / given.world * size
    return {
        "ok": is_equal,
        "world": given.world,
        "parallel": given.parallel,
        "equal": is_equal,
        "bytes": sent,
        "bytes_ratio": sum(sent.values()) / ideal if ideal else None,
        "memory": fullest.memory,
        "step_ms": 1e3 * sum(seconds) / given.steps,
        "bubble": bubble,
        "timeline": None if given.timeline is None else str(given.timeline),
    }


def _is_equal(ranks: Sequence[Trained], wanted: dict[str, Tensor]) -> bool:
    """Return whether the parameters of each rank equal those of one process."""
    import torch

    return all(rank.parameters.keys() == wanted.keys() for rank in ranks) and all(
        torch.equal(each, wanted[name]) for rank in ranks for name, each in rank.parameters.items()
    )


def _sent(rank: Trained) -> dict[str, int]:
    """Return the bytes that a rank has sent in all steps, by operation."""
    sent: dict[str, int] = {}
    for entry in rank.entries[: rank.ends[-1]]:
        sent[entry.op] = sent.get(entry.op, 0) + entry.bytes_sent
    return sent
