"""What plain training and plain calls give, which traces are allowed, and how much memory.

Training must give the same bits, so it is carried out here block by block, with the same torch and
the blocks of the probe. Gradients of single calls are compared in float64 to a few roundings.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import (
    COUNT,
    LOADED_BYTES,
    Case,
    Exact,
    Expected,
    Holds,
    Want,
)
from torchstone.judge.kit.problem import load_module

probe = load_module(Path(__file__).with_name("probe.py"))

U = 4 * 512 * 72  # bytes of one activation of a large block
# Of the first run: what Python and torch touch for the first time, and about ten activations.
MOST_FIRST = (44 << 20) + LOADED_BYTES
# Measured for right answers: 20 to 23 and 44 to 47 activations more than a run of depth 1.
MOST = {16: 30, 64: 58}
if LOADED_BYTES:
    # What only a recomputation calls has more pages there: 12 activations.
    MOST = {depth: most + 14 for depth, most in MOST.items()}
MODE = {"en": "gradient mode as before", "zh": "梯度模式与之前相同"}


def plain_train(blocks, loss_fn, optimizer, batches, *, num_segments=None):
    """Train without checkpoints."""
    blocks, losses = list(blocks), []
    for x, y in batches:
        optimizer.zero_grad()
        h = x
        for block in blocks:
            h = block(h)
        loss = loss_fn(h, y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def plain_checkpoint(fn, *args, preserve_rng_state=True):
    """Call the function."""
    return fn(*args)


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    with torch.enable_grad():  # whatever a program left behind that ran in this process before
        return EXPECT[case.secret["op"]](case.secret)


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute single calls with torch's own checkpoint."""
    if case.secret["op"] != "checkpoint" or case.secret["data"]["kind"] in SILENT:
        return {}
    import torch.utils.checkpoint as own

    def call(fn, *args, preserve_rng_state=True):
        return own.checkpoint(fn, *args, preserve_rng_state=preserve_rng_state, use_reentrant=False)

    with torch.enable_grad():
        found = probe.run_checkpoint(call, case.secret["data"])
    return {
        key: item
        for key, item in found.items()
        if key.startswith("grad.") and isinstance(item, torch.Tensor)
    }


# --- training -------------------------------------------------------------------------------------


def _expect_train(secret: dict[str, Any]) -> Expected:
    data = secret["data"]
    plain = probe.run_train(plain_train, data)
    found: Expected = {
        "types": Exact([], note=note("a list of Python floats", "由 Python float 组成的列表")),
        "losses": Exact(plain["losses"], aspect="value"),
        "weights": Exact(plain["weights"], aspect="grad"),
        "generator": Exact(
            plain["generator"],
            note=note(
                "the state of the CPU generator after training", "训练结束时 CPU 生成器的状态"
            ),
        ),
        "alive": Exact(
            0, note=note("no graph is alive after training", "训练结束后没有存活的计算图")
        ),
        "frozen": Exact(0, note=note("frozen parameters have no gradient", "冻结的参数没有梯度")),
        "same inputs": Exact(True, note=note("the batches are unchanged", "各批数据保持不变")),
        "grad mode": Exact(True, note=MODE),
    }
    if data["form"] == "generator":
        each = list(range(len(data["batches"])))
        found["taken"] = Exact(each, note=note("every batch is taken once", "每批数据只取一次"))
    if secret["cuts"] is not None:
        found["trace"] = _trace(data, exactly=secret["cuts"] == "exactly")
    if secret["cuts"] == "exactly":
        found["living"] = _living(data)
    return found


def _trace(data: dict[str, Any], *, exactly: bool) -> Holds:
    """Require the calls of blocks of one segmentation, forward and in backward."""
    order = data["order"]
    n, k = len(order), _num_segments(data)
    counts = [k] if exactly else range(1, k + 1)
    allowed = {
        tuple(order[at] if at >= 0 else at for at in trace)
        for count in counts
        for trace in traces(n, count)
    }

    def holds(value: Any) -> bool:
        if not is_list_of(int, value):
            return False
        ends = [at + 1 for at, item in enumerate(value) if item == probe.STEP]
        pieces = [tuple(value[a:b]) for a, b in itertools.pairwise([0, *ends])]
        is_whole = not value or value[-1] == probe.STEP
        right_number = len(pieces) == len(data["batches"])
        return is_whole and right_number and all(piece in allowed for piece in pieces)

    return Holds(holds, SEGMENTS[exactly], truth=list(max(allowed)) * len(data["batches"]))


def _num_segments(data: dict[str, Any]) -> int:
    n, asked = len(data["order"]), data["num_segments"]
    return min(round(math.sqrt(n)) if asked is None else asked, n)


def _living(data: dict[str, Any]) -> Holds:
    """Limit the tensors inside blocks that are alive at once to those of a segment, and a few."""
    most = 3 * (math.ceil(len(data["order"]) / _num_segments(data)) + 2)
    wanted = note(
        f"at most {most} tensors inside blocks are alive at once, those of one segment",
        f"block 内部的张量同时存活至多 {most} 个，即一段的数量",
    )
    return Holds(lambda count: count <= most, wanted, takes=COUNT)


def traces(n: int, count: int) -> Any:
    """Yield the traces of one batch for a number of segments.

    The numbers of the blocks, the loss, the segments again from the last to the first, the step.
    The last segment may be missing in backward, as it may run without a checkpoint.
    """
    size, rest = divmod(n, count)
    for larger in itertools.combinations(range(count), rest):
        sizes = [size + (number in larger) for number in range(count)]
        ends = list(itertools.accumulate(sizes))
        segments = [list(range(end - size, end)) for size, end in zip(sizes, ends, strict=True)]
        for left in (count, count - 1):
            again = [at for segment in reversed(segments[:left]) for at in segment]
            yield (*range(n), probe.LOSS, *again, probe.STEP)


SEGMENTS = {
    False: {
        "en": "all blocks in order, the loss, then each block again at most once: whole segments "
        "from the last to the first, no more of them than asked for, their sizes differing by at "
        "most one; the last segment may be left out (-1: loss, -2: step)",
        "zh": "依次执行各 block，再计算损失，然后每个 block 至多再执行一次：以整段为单位，"
        "从最后一段到第一段，段数不超过要求，各段大小最多差一；最后一段可以省去"
        "（-1 表示损失，-2 表示 step）",
    },
    True: {
        "en": "all blocks in order, the loss, then the segments again from the last to the first: "
        "as many as asked for, their sizes differing by at most one; the last segment may be left "
        "out (-1: loss, -2: step)",
        "zh": "依次执行各 block，再计算损失，然后从最后一段到第一段重新执行：段数正是要求的数目，"
        "各段大小最多差一；最后一段可以省去（-1 表示损失，-2 表示 step）",
    },
}


def is_list_of(kind: type, value: Any) -> bool:
    """Return whether a value is a list of plain items of one type."""
    return type(value) is list and all(type(item) is kind for item in value)


def note(en: str, zh: str) -> dict[str, str]:
    """Return a text in both languages."""
    return {"en": en, "zh": zh}


# --- memory ---------------------------------------------------------------------------------------


def _expect_measure(secret: dict[str, Any]) -> Expected:
    found: Expected = {}
    for number, data in enumerate(secret["steps"]):
        prefix = f"{number}:" if number else ""
        found |= {f"{prefix}{key}": item for key, item in _expect_measured(data).items()}
        depth = len(data["weights"])
        if depth in MOST:
            found[f"{prefix}peak.rise"] = _at_most(MOST[depth] * U, depth)
        else:
            found[f"{prefix}peak.bytes"] = _at_most(MOST_FIRST, depth)
    return found


def _expect_measured(data: dict[str, Any]) -> Expected:
    """Train on one tile in float64: the large tensor repeats it."""
    blocks = [[weight.double().requires_grad_() for weight in pair] for pair in data["weights"]]
    h = data["tile"].double()
    for scale, shift in blocks:
        h = probe.wave(h, scale, shift)
    loss = (h - data["target"].double()).square().mean()
    gradients = torch.autograd.grad(loss, [weight for pair in blocks for weight in pair])
    before = torch.stack([weight.detach() for pair in blocks for weight in pair])
    after = (before - data["lr"] * torch.stack(gradients)).reshape(-1, 2)
    # Each of the blocks rounds its tensors a few times, and a sum over all elements once.
    eps = torch.finfo(torch.float32).eps
    limit = 64 * eps * len(blocks) * (after.abs() + torch.stack(gradients).abs().max())
    n, k = len(blocks), data["segments"]
    allowed = [[at for at in trace if at >= 0] for trace in traces(n, k)]
    return {
        "losses": Want(loss.detach()[None], 64 * eps * len(blocks), torch.float64),
        "weights": Want(after, limit, torch.float32, aspect="grad"),
        "trace": Holds(
            lambda value: is_list_of(int, value) and value in allowed,
            SEGMENTS[True],
            truth=allowed[0],
        ),
        "sizes": Exact([data["tile"].numel() * data["repeats"]]),
    }


def _at_most(num_bytes: int, depth: int) -> Holds:
    units = num_bytes / U
    more = depth in MOST
    en, zh = ("more than with one block ", "比一个 block 时多") if more else ("", "")
    wanted = note(
        f"at most {units:g} activations {en}at depth {depth}, {num_bytes:,} bytes",
        f"深度 {depth} 时{zh}至多 {units:g} 份激活值，即 {num_bytes:,} 字节",
    )
    return Holds(lambda value: value <= num_bytes, wanted, takes=COUNT)


# --- refusals -------------------------------------------------------------------------------------


def _expect_refuse(secret: dict[str, Any]) -> Expected:
    return {
        "error": Holds(
            lambda value: is_list_of(str, value) and "ValueError" in value,
            note("a ValueError", "ValueError"),
            truth=["ValueError"],
        ),
        "untouched": Exact(
            True,
            note=note(
                "no batch is taken, no block runs and no parameter changes before the error",
                "出错之前没有取任何批次，没有执行 block，参数也没有变化",
            ),
        ),
    }


# --- single calls ---------------------------------------------------------------------------------

# Kinds in which the result of the call is random, or an error.
SILENT = ("loose_masks", "raises_at_once", "raises_later")
CALLS = {
    "twice": {"calls.forward": 1, "calls.first": 2, "calls": 3},
    "two_in_a_row": {"calls.forward": 1, "calls": 6},
    "under_no_grad": {"calls.forward": 1, "calls": 1},
    "tuple_under_no_grad": {"calls.forward": 1, "calls": 1},
}
ONCE_EACH = {"calls.forward": 1, "calls": 2}
CALLED = note(
    "the function runs once in forward and once in each backward pass",
    "函数在前向中执行一次，每次反向再执行一次",
)


def _expect_checkpoint(secret: dict[str, Any]) -> Expected:
    data = secret["data"]
    kind = data["kind"]
    plain = probe.run_checkpoint(plain_checkpoint, data)
    if kind == "raises_later":
        raised = [each.__name__ for each in probe.ERRORS[data["error"]].__mro__]
        plain |= {"error": raised, "words": "no such row"}
    found: Expected = {}
    for key, item in plain.items():
        if key.startswith("calls"):
            found[key] = Exact(CALLS.get(kind, ONCE_EACH)[key], note=CALLED)
        elif key.startswith("grad.") and isinstance(item, torch.Tensor):
            found[key] = _gradient(item, kind)
        elif key.startswith("grad."):
            found[key] = _no_gradient(data, key, kind)
        elif key.startswith("out."):
            found[key] = Exact(item, aspect="value")
        elif key.startswith("grad mode") or key == "no grad mode":
            found[key] = Exact(item, note=MODE)
        else:
            found[key] = Exact(item)
    return found


def _gradient(item: torch.Tensor, kind: str) -> Want:
    if item.dtype == torch.float64:
        limit = 1e-12 * (1 + item.abs().max())
    else:
        # The same casts and products as without checkpoint: float32 rounding, far below bfloat16.
        limit = 16 * torch.finfo(item.dtype).eps * (1 + item.double().abs().max())
    return Want(item.double(), limit, item.dtype, aspect="grad")


def _no_gradient(data: dict[str, Any], key: str, kind: str) -> Any:
    if kind == "half_used" and key == "grad.weight":
        # The output that uses it has no part in the loss: a zero cotangent says the same.
        zeros = torch.zeros_like(data["weight"])
        return Want(zeros, 0.0, zeros.dtype, aspect="grad", none_is_zero=True)
    return Exact(None, note=note("no gradient where none is needed", "不需要梯度的张量没有梯度"))


EXPECT = {
    "train": _expect_train,
    "measure": _expect_measure,
    "refuse": _expect_refuse,
    "checkpoint": _expect_checkpoint,
}
