"""Know the truth of c03: slices, and batches filled element by element."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, Raises, Want

NOTES = {
    "len": (
        "one window for every start k * stride below T",
        "每个小于 T 的起点 k * stride 都有一个窗口",
    ),
    "dataset": ("not a torch.utils.data.Dataset", "不是 torch.utils.data.Dataset"),
    "calls": (
        "transform is called once for each item that is asked for, and only then",
        "每取一项，transform 恰好调用一次，而且在取的时候才调用",
    ),
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
    """Pad with PyTorch's own function."""
    if case.secret["op"] != "collate":
        return {}
    batch = case.secret["batch"]
    return {"out.0": torch.nn.utils.rnn.pad_sequence(batch, batch_first=True)}


def _collated(batch: list[torch.Tensor]) -> Expected:
    longest, dtype = max(len(window) for window in batch), batch[0].dtype
    padded = torch.zeros(len(batch), longest, *batch[0].shape[1:], dtype=dtype)
    mask = torch.zeros(len(batch), longest, dtype=torch.bool)
    for row, window in enumerate(batch):
        for step in range(len(window)):
            padded[row, step], mask[row, step] = window[step], True
    lengths = torch.tensor([len(window) for window in batch])
    return {
        "out.len": Exact(3),
        "out.0": Want(padded, 0.0, dtype),
        "out.1": Want(lengths, 0.0, torch.int64),
        "out.2": Want(mask, 0.0, torch.bool),
    }


def _windows(data: dict[str, Any]) -> Expected:
    series, length, stride = data["series"], data["length"], data["stride"]
    starts = range(0, len(series), stride)

    def item(place: int) -> Want:
        window = series[starts[place] : starts[place] + length]
        change = {"none": lambda x: x, "counted": lambda x: x + 1, "negate": lambda x: -x}
        return Want(change[data["transform"]](window), 0.0, series.dtype)

    inside = [index for index in data["indices"] if -len(starts) <= index < len(starts)]
    counted = data["transform"] == "counted"
    expected: Expected = {
        "len": _exact("len", len(starts)),
        "dataset": _exact("dataset", True),
        "calls after making": _exact("calls", 0),
        "calls": _exact("calls", len(inside) if counted else 0),
    }
    for index in data["indices"]:
        if index in inside:
            expected[f"item {index}"] = item(index)
        else:
            expected[f"{index}.raised"] = Raises(IndexError)
    if data["whole"]:
        expected["items of a loop"] = _exact("loop", len(starts))
        expected["calls in a loop"] = _exact("calls", len(starts) if counted else 0)
        expected |= {f"loop {place}": item(place) for place in range(min(5, len(starts)))}
    if not counted:
        expected["len after pickle"] = _exact("len", len(starts))
        expected["last after pickle"] = item(-1) if starts else Exact(None)
    return expected


def _exact(key: str, value: Any) -> Exact:
    return Exact(value, note=dict(zip(("en", "zh"), NOTES[key], strict=True)))
