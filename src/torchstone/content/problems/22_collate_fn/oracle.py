"""Know the truth of problem 22: each sample with its padding behind it, stacked."""

from __future__ import annotations

from functools import reduce
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence

from torchstone.judge.kit import Case, Exact, Expected, Gate, Raises, Want

NAMES = {("tokens", "label"): "Example", ("audio", "text", "speaker"): "Clip"}
NUMBERS = {bool: torch.bool, int: torch.int64, float: torch.float64}
DEFAULTS = {"padding_value": 0, "pad_to_multiple_of": 1, "batch_first": True}
# Operator calls: so many for each sample, and for everything else. Bytes: in sizes of the result.
CALLS_EACH, CALLS_MORE, MOST_WRITTEN = 10, 100, 6.0

FORM = {
    "en": "the structure of the result is another one: containers, keys or their order",
    "zh": "结果的结构不对：容器类型、键或键的顺序",
}
CONTIGUOUS = {
    "en": "a tensor of the result is not contiguous",
    "zh": "结果中有张量不是连续的",
}
CALLS = {
    "en": "{came} operator calls for one field; at most {most} are needed",
    "zh": "一个字段调用了 {came} 次算子，至多只需 {most} 次",
}
WRITTEN = {
    "en": "{came} times the bytes of the result are written; {most} times are enough",
    "zh": "写入的字节数是结果的 {came} 倍；{most} 倍已经足够",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if secret["op"] == "refuse":
        return {f"{name}.raised": Raises(_error_of(name)) for name in secret["calls"]}
    options = DEFAULTS | secret["options"]
    if secret["op"] == "loader":
        size, batch = secret["size"], secret["batch"]
        parts = [batch[start : start + size] for start in range(0, len(batch), size)]
        return _merge([_result(part, options, f"{n}:") for n, part in enumerate(parts)])
    if secret["op"] == "alias":
        return _merge([_result(secret["batch"], options, f"{n}:") for n in range(2)])
    if secret["op"] == "growth":
        samples = list(secret["flat"].split(secret["lengths"]))
        most = CALLS_EACH * len(samples) + CALLS_MORE
        return _result(samples, options, "") | {
            "calls": Gate(lambda answer: _number(answer.get("calls")), most, CALLS),
            "written": Gate(lambda answer: _number(answer.get("written")), MOST_WRITTEN, WRITTEN),
        }
    return _result(secret["batch"], options, "")


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Return the data of a plain batch as torch pads it."""
    batch, options = case.secret.get("batch", [None]), case.secret.get("options", {})
    plain = all(isinstance(each, torch.Tensor) and each.ndim for each in batch)
    if case.secret["op"] != "once" or not plain or options.get("pad_to_multiple_of", 1) != 1:
        return {}
    dtype = reduce(torch.promote_types, (each.dtype for each in batch))
    if not dtype.is_floating_point:
        return {}
    padded = pad_sequence(
        [each.double() for each in batch],
        options.get("batch_first", True),
        options.get("padding_value", 0),
    )
    return {"batch.data": padded}


def _error_of(name: str) -> type[Exception]:
    return TypeError if name in ("None", "object", "None inside") else ValueError


def _number(value: Any) -> float | None:
    return float(value) if type(value) in (int, float) else None


def _merge(parts: list[Expected]) -> Expected:
    return {key: item for part in parts for key, item in part.items()}


def _result(batch: list[Any], options: dict[str, Any], prefix: str) -> Expected:
    leaves: dict[str, torch.Tensor] = {}
    form = _collate(batch, options, "batch", leaves)
    expected: Expected = {
        f"{prefix}form": Exact(form, note=FORM),
        f"{prefix}not contiguous": Exact([], note=CONTIGUOUS),
    }
    for path, leaf in leaves.items():
        # Exact: a comparison in float64 loses nothing of the floating dtypes.
        value = leaf.double() if leaf.is_floating_point() else leaf
        expected[f"{prefix}{path}"] = Want(value, 0.0, leaf.dtype)
    return expected


def _collate(
    items: list[Any], options: dict[str, Any], path: str, leaves: dict[str, torch.Tensor]
) -> str:
    first = items[0]
    if isinstance(first, torch.Tensor):
        if first.ndim:
            for key, leaf in _pad(items, options).items():
                leaves[f"{path}.{key}"] = leaf
            return "dict(data: tensor, lengths: tensor, mask: tensor)"
        leaves[path] = torch.stack(items)
        return "tensor"
    if type(first) in NUMBERS:
        leaves[path] = torch.tensor(items, dtype=NUMBERS[type(first)])
        return "tensor"
    if isinstance(first, (str, bytes)):
        return f"list {items!r}"
    rows = [_by_key(each) for each in items]
    keys = list(rows[0])
    parts = [
        f"{key}: {_collate([row[key] for row in rows], options, f'{path}.{key}', leaves)}"
        for key in keys
    ]
    names = {"dict": "mapping", "ordered": "mapping", "tuple": "sequence", "list": "sequence"}
    kind = NAMES[tuple(first["keys"])] if first["as"] == "named" else names[first["as"]]
    return f"{kind}({', '.join(parts)})"


def _by_key(item: dict[str, Any]) -> dict[Any, Any]:
    keys = item.get("keys", range(len(item["items"])))
    return dict(zip(keys, item["items"], strict=True))


def _pad(samples: list[torch.Tensor], options: dict[str, Any]) -> dict[str, torch.Tensor]:
    dtype = reduce(torch.promote_types, (each.dtype for each in samples))
    lengths = [each.shape[0] for each in samples]
    total = max(lengths)
    while total % options["pad_to_multiple_of"]:
        total += 1
    rows = []
    for each in samples:
        behind = torch.full((total - each.shape[0], *each.shape[1:]), 0, dtype=dtype)
        behind.fill_(options["padding_value"])
        rows.append(torch.cat([each.to(dtype), behind]))
    data = torch.stack(rows, 0 if options["batch_first"] else 1)
    places = torch.arange(total).expand(len(samples), total)
    return {
        "data": data,
        "lengths": torch.tensor(lengths),
        "mask": places < torch.tensor(lengths)[:, None],
    }
