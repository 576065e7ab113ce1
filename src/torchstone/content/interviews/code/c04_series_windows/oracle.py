"""Know the truth of c04: slices, and batches filled element by element."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, Raises, Want

NOTES = {
    "len": (
        "the whole windows of each series, none across a border",
        "各条序列的完整窗口之和，不跨边界",
    ),
    "dataset": ("not a torch.utils.data.Dataset", "不是 torch.utils.data.Dataset"),
    "calls": (
        "transform is called once for each item that is asked for, and only then",
        "每取一项，transform 恰好调用一次，而且在取的时候才调用",
    ),
    "series": ("not the number of the series of this window", "不是这个窗口所属序列的编号"),
    "loop": (
        "a `for` over the dataset yields each window once and ends",
        "对数据集的 for 循环应当每个窗口给出一次，然后结束",
    ),
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if secret["op"] == "refused":
        return {
            f"{length},{stride}.raised": Raises(ValueError) for length, stride in secret["sizes"]
        }
    return _collated(secret["batch"]) if secret["op"] == "collate" else _windows(secret)


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Pad with PyTorch's own function, back to front."""
    if case.secret["op"] != "collate":
        return {}
    turned = [window.flip(0) for _, window in case.secret["batch"]]
    return {"out.1": torch.nn.utils.rnn.pad_sequence(turned, batch_first=True).flip(1)}


def _collated(batch: list[tuple[int, torch.Tensor]]) -> Expected:
    longest, first = max(len(window) for _, window in batch), batch[0][1]
    padded = torch.zeros(len(batch), longest, *first.shape[1:], dtype=first.dtype)
    mask = torch.ones(len(batch), longest, dtype=torch.bool)
    positions = torch.zeros(len(batch), longest, dtype=torch.int64)
    for row, (_, window) in enumerate(batch):
        for step in range(len(window)):
            place = longest - len(window) + step
            padded[row, place], mask[row, place], positions[row, place] = window[step], False, step
    numbers = torch.tensor([number for number, _ in batch])
    return {
        "out.len": Exact(4),
        "out.0": Want(numbers, 0.0, torch.int64),
        "out.1": Want(padded, 0.0, first.dtype),
        "out.2": Want(mask, 0.0, torch.bool),
        "out.3": Want(positions, 0.0, torch.int64),
    }


def _windows(data: dict[str, Any]) -> Expected:
    count = sum(data["counts"])

    def item(name: str, place: int) -> Expected:
        number, local = 0, place % count
        while local >= data["counts"][number]:
            local -= data["counts"][number]
            number += 1
        start = local * data["stride"]
        window = data["series"][number][start : start + data["length"]]
        change = {"none": lambda x: x, "counted": lambda x: x + 1, "negate": lambda x: -x}
        want = Want(change[data["transform"]](window), 0.0, window.dtype)
        return {f"{name}, series": _exact("series", number), name: want}

    inside = [index for index in data["indices"] if -count <= index < count]
    counted = data["transform"] == "counted"
    expected: Expected = {
        "len": _exact("len", count),
        "dataset": _exact("dataset", True),
        "calls after making": _exact("calls", 0),
        "calls": _exact("calls", len(inside) if counted else 0),
    }
    for index in data["indices"]:
        if index in inside:
            expected |= item(f"item {index}", index)
        else:
            expected[f"{index}.raised"] = Raises(IndexError)
    if data["whole"]:
        expected["items of a loop"] = _exact("loop", count)
        expected["calls in a loop"] = _exact("calls", count if counted else 0)
        for place in range(min(5, count)):
            expected |= item(f"loop {place}", place)
    if not counted:
        expected["len after pickle"] = _exact("len", count)
        if count:
            expected |= item("last after pickle", -1)
    return expected


def _exact(key: str, value: Any) -> Exact:
    return Exact(value, note=dict(zip(("en", "zh"), NOTES[key], strict=True)))
