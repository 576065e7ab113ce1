"""Profile a training step by module, for ``torchstone transformer profile``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from torchstone.kernels import cross_entropy
from torchstone.models.chart import draw, page
from torchstone.models.limits import Limits, measure_limits
from torchstone.models.profile import Cost, peak_bytes, profile
from torchstone.models.refusal import Refusal, reason_of
from torchstone.models.text import NUM_BYTES
from torchstone.models.training.plan import Plan, build

CHARTS = (".svg", ".html")


def measure(
    plan: Plan, *, levels: int = 4, chart: Path | None = None, lang: str = "en"
) -> dict[str, Any]:
    """Profile the model of a plan on one batch.

    Args:
        plan: The plan, of which model, batch and precision matter.
        levels: The maximum depth of modules shown; deeper costs are included above them.
        chart: Where a chart is written, as SVG or HTML, depending on the suffix.
        lang: The language of its texts.

    Returns:
        The event ``profile``: a row for each module, the machine's limits, and the peak memory of
        forward and backward beyond the weights.

    Raises:
        Refusal: The suffix of the chart is unknown, or it cannot be written.
    """
    if chart is not None and chart.suffix not in CHARTS:
        raise Refusal("choice", name="chart", came=chart.name, wanted="*.svg, *.html")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = build(plan).to(device)
    is_half = plan.precision == "bfloat16"
    limits = measure_limits(torch.bfloat16 if is_half else torch.float32, device)
    chance = torch.Generator().manual_seed(plan.seed)
    tokens = torch.randint(NUM_BYTES, (plan.batch_size, plan.context), generator=chance)
    tokens = tokens.to(device)

    def around() -> torch.autocast:
        return torch.autocast(device, torch.bfloat16, enabled=is_half)

    def step() -> None:
        with around():
            loss = cross_entropy(model(tokens), tokens)
        loss.backward()
        # Freed between runs, so that it counts in the peak but not in the next run of the model.
        model.zero_grad()

    found = profile(model, tokens, around=around)
    training_peak = peak_bytes(step)
    if chart is not None:
        picture = draw(found, limits, depth=levels, lang=lang)
        _write(chart, picture if chart.suffix == ".svg" else page(picture, lang=lang))
    return {
        "event": "profile",
        "parameters": sum(each.numel() for each in model.parameters()),
        "threads": torch.get_num_threads(),
        "flops_per_second": limits.flops_per_second,
        "bytes_per_second": limits.bytes_per_second,
        "training_peak_bytes": training_peak,
        "rows": [_row(cost, limits) for cost in found.down_to(levels)],
        "chart": None if chart is None else str(chart),
        "cuda": _cuda_memory(step, chart) if device == "cuda" else None,
    }


def _row(cost: Cost, limits: Limits) -> dict[str, Any]:
    return {
        "name": cost.name,
        "label": cost.label,
        "kind": cost.kind,
        "level": cost.level,
        "calls": cost.calls,
        "flops": cost.flops,
        "bytes": cost.num_bytes,
        "saved_bytes": cost.saved_bytes,
        "peak_bytes": cost.peak_bytes,
        "seconds": cost.seconds,
        "roofline_share": cost.roofline_share(limits),
    }


def _cuda_memory(step: Callable[[], None], chart: Path | None) -> dict[str, str]:
    """Return statistics of CUDA's allocator for a step; write its history beside the chart."""
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.memory._record_memory_history()
    step()
    path = (chart or Path("profile.svg")).with_suffix(".pickle")
    try:
        torch.cuda.memory._dump_snapshot(str(path))
    except OSError as error:
        raise Refusal("unwritable", path=path, reason=reason_of(error)) from error
    finally:
        torch.cuda.memory._record_memory_history(None)
    return {"summary": torch.cuda.memory_summary(), "snapshot": str(path)}


def _write(path: Path, told: str) -> None:
    beside = path.with_name(f"{path.name}.part")
    try:
        beside.write_text(told, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise Refusal("unwritable", path=path, reason=reason_of(error)) from error
