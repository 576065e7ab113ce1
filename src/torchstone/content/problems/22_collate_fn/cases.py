"""Draw batches for problem 22.

A sample is described by tensors, numbers and texts, which stand for themselves, and by dicts with
"as", "keys" and "items" for containers. Values before the group "value" differ from all paddings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, lay_out

Params = dict[str, Any]

GROUPS = (
    "sample",
    "dtype",
    "multiple",
    "edge",
    "layout",
    "value",
    "mixed",
    "nested",
    "errors",
    "alias",
    "loader",
    "growth",
)
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
FLOATS = ("float32", "float64", "float16", "bfloat16")
LAYOUTS = ("transposed", "stepped", "offset", "expanded")
NAN, INF = float("nan"), float("inf")


ONE = {"as": "dict", "keys": ["a"], "items": [1]}
TWO = {"as": "tuple", "items": [1, 2]}
# A tensor beside something else where torch raises nothing by itself: it takes a tensor of one
# element for a number, and a tensor has a length, as a tuple has.
MIXED: dict[str, list[Any]] = {
    "float and one element": [3.0, torch.tensor([1.0])],
    "int and 0-d": [1, torch.tensor(1)],
    "bool and 0-d": [True, torch.tensor(True)],
    "text and 0-d": ["a", torch.tensor(1)],
    "bytes and one element": [b"a", torch.tensor([1])],
    "tuple and tensor": [TWO, torch.ones(2)],
    "mapping and tensor": [ONE, torch.ones(2)],
    "one element and float": [torch.tensor([1.0]), 3.0],
    "0-d and int": [torch.tensor(1), 1],
    "0-d and text": [torch.tensor(1), "a"],
    "tensor and tuple": [torch.ones(2), TWO],
    "tensor and mapping": [torch.ones(1), ONE],
}


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw one batch."""
    data = BUILDERS[params["build"]](params, draw)
    op = data.pop("op", "once")
    shown = {name: str(item) for name, item in data.get("options", {}).items()}
    if op in ("once", "alias", "loader"):
        data = {"given": "list", **data}
        shown["batch"] = preview(data["batch"])
    return Case(steps=(Request(op=op, data=data),), secret=data | {"op": op}, shown=shown)


def preview(batch: list[Any]) -> str:
    """Write a batch as a person would."""
    return f"[{', '.join(map(_shown, batch))}]"


def _shown(item: Any) -> str:
    if isinstance(item, torch.Tensor):
        name = str(item.dtype).removeprefix("torch.")
        if item.numel() <= 6:
            return f"tensor({item.tolist()}, {name})"
        return f"tensor of {name} {tuple(item.shape)}"
    if not isinstance(item, dict):
        return repr(item)
    parts = [_shown(each) for each in item.get("items", ())]
    if "keys" in item:
        parts = [f"{key}: {part}" for key, part in zip(item["keys"], parts, strict=True)]
    return f"{item['as']}({', '.join(parts)})"


# Drawing


def _tensor(draw: Draw, shape: list[int], dtype: str) -> torch.Tensor:
    """Draw values of which none is a padding value: 0, 0.5, -100."""
    kind = getattr(torch, dtype)
    if dtype == "bool":
        return torch.ones(shape, dtype=kind)
    if not kind.is_floating_point:
        return draw.integers(shape, 1, 90, kind)
    wide = draw.uniform(shape, 1.0, 9.0, torch.float64)
    return wide.to(kind)


def _lengths(draw: Draw, count: int, low: int = 1, high: int = 7) -> list[int]:
    """Draw lengths that are not sorted either way and not all equal."""
    while True:
        found = [draw.integer(low, high) for _ in range(count)]
        if found not in (sorted(found), sorted(found, reverse=True)):
            return found


def _fields(draw: Draw, lengths: list[int], tail: list[int], dtype: str) -> list[Any]:
    return [_tensor(draw, [length, *tail], dtype) for length in lengths]


def _pair(*items: Any) -> dict[str, Any]:
    return {"as": "tuple", "items": list(items)}


# Plans


def _sample(draw: Draw) -> list[Params]:
    return [{"build": "pairs", "tail": tail} for tail in ([], [draw.integer(2, 3)])]


def _dtype(draw: Draw) -> list[Params]:
    return [{"build": "plain", "dtype": dtype} for dtype in (*INTEGERS, *FLOATS, "bool")]


def _multiple(draw: Draw) -> list[Params]:
    return [
        {"build": "multiple", "of": of, "first": first, "longest": longest}
        for of in (1, 2, 4, 8)
        for first in (True, False)
        for longest in (8, 5)
    ]


def _edge(draw: Draw) -> list[Params]:
    n = draw.integer(2, 6)
    lengths = ([0, n, 1], [n, 0, 0], [0, 0, 0], [0], [n], [1], [n, n, n], [1, 1])
    plain = [{"build": "edge", "lengths": list(each), "of": 1} for each in lengths]
    blocks = [{"build": "edge", "lengths": list(each), "of": 4} for each in ([0, 0], [0, n], [4])]
    return [*plain, *blocks, {"build": "edge", "lengths": [3, n, 2], "of": 16}]


def _layout(draw: Draw) -> list[Params]:
    plain = [{"build": "layout", "layout": layout} for layout in LAYOUTS]
    return [*plain, {"build": "slices"}, {"build": "leaves"}]


def _value(draw: Draw) -> list[Params]:
    floats = [
        {"build": "value", "dtype": dtype, "padding": padding}
        for dtype, padding in (
            *(("float32", 0.0), ("float32", -INF), ("float32", NAN), ("float64", 0.1)),
            *(("float16", -INF), ("bfloat16", 0.5), ("float64", NAN)),
        )
    ]
    others = (("int64", 0), ("int64", -100), ("int32", -100), ("int64", 0.5), ("bool", 0))
    wholes = [{"build": "value", "dtype": dtype, "padding": padding} for dtype, padding in others]
    return [*floats, *wholes, {"build": "value", "dtype": "bool", "padding": 1}]


def _mixed(draw: Draw) -> list[Params]:
    kinds = (
        ["int64", "float32", "bool"],
        ["int8", "int64"],
        ["uint8", "int8"],
        ["float16", "bfloat16"],
        ["bool", "int16"],
        ["float32", "int64", "float64"],
    )
    return [{"build": "mixed", "dtypes": dtypes, "padding": 0} for dtypes in kinds] + [
        {"build": "mixed", "dtypes": ["int64", "float32"], "padding": 0.5}
    ]


def _nested(draw: Draw) -> list[Params]:
    kinds = ("records", "named", "clips", "ordered", "numbers", "lists", "texts", "keys", "deep")
    return [{"build": "nested", "kind": kind} for kind in kinds]


def _errors(draw: Draw) -> list[Params]:
    kinds = ("tensors", "structures", "tensors", "structures")
    return [{"build": "errors", "kind": kind} for kind in kinds]


def _alias(draw: Draw) -> list[Params]:
    lengths = ([4], [3, 3], [1], [2, 4, 1])
    first = [{"build": "alias", "lengths": list(each), "first": True} for each in lengths]
    return [*first, {"build": "alias", "lengths": [3], "first": False}]


def _loader(draw: Draw) -> list[Params]:
    return [{"build": "loader", "first": first} for first in (True, False)]


def _growth(draw: Draw) -> list[Params]:
    sizes = ((64, 32), (512, 32), (64, 256))
    return [{"build": "growth", "batch": batch, "longest": longest} for batch, longest in sizes]


PLANS: dict[str, Callable[[Draw], list[Params]]] = {
    "sample": _sample,
    "dtype": _dtype,
    "multiple": _multiple,
    "edge": _edge,
    "layout": _layout,
    "value": _value,
    "mixed": _mixed,
    "nested": _nested,
    "errors": _errors,
    "alias": _alias,
    "loader": _loader,
    "growth": _growth,
}


# Builders


def _pairs(params: Params, draw: Draw) -> Params:
    fields = _fields(draw, _lengths(draw, 4), params["tail"], "float32")
    return {"batch": [_pair(x, draw.integer(0, 9)) for x in fields], "options": {}}


def _plain(params: Params, draw: Draw) -> Params:
    tail = draw.choice(([], [2], [2, 3]))
    fields = _fields(draw, _lengths(draw, 3), tail, params["dtype"])
    return {"batch": fields, "options": {}, "given": "tuple"}


def _multiple_of(params: Params, draw: Draw) -> Params:
    lengths = [*_lengths(draw, 3, high=4), params["longest"], draw.integer(1, 4)]
    tail = draw.choice(([], [2], [2, 2]))
    options = {"pad_to_multiple_of": params["of"], "batch_first": params["first"]}
    return {"batch": _fields(draw, lengths, tail, "float32"), "options": options}


def _edges(params: Params, draw: Draw) -> Params:
    options: Params = {"pad_to_multiple_of": params["of"]} if params["of"] > 1 else {}
    options |= {"batch_first": False} if draw.chance(0.5) else {}
    tail = draw.choice(([], [3]))
    fields = _fields(draw, params["lengths"], tail, draw.choice(("float32", "int64")))
    return {"batch": fields, "options": options}


def _laid_out(params: Params, draw: Draw) -> Params:
    fields = _fields(draw, _lengths(draw, 4, low=2), [3], "float32")
    batch = [lay_out(each, params["layout"]) for each in fields]
    return {"batch": batch, "options": {"batch_first": draw.chance(0.5)}}


def _slices(params: Params, draw: Draw) -> Params:
    """Draw samples that are parts of one tensor, as of a memory-mapped file."""
    whole = _tensor(draw, [20], "int64")
    starts = [draw.integer(0, 9) for _ in range(4)]
    batch = [whole[start : start + draw.integer(1, 9)] for start in starts]
    return {"batch": batch, "options": {}}


def _leaves(params: Params, draw: Draw) -> Params:
    fields = _fields(draw, _lengths(draw, 3), [2, 2], "float64")
    return {"batch": [each.permute(0, 2, 1) for each in fields], "options": {}}


def _values(params: Params, draw: Draw) -> Params:
    fields = _fields(draw, _lengths(draw, 4, low=2), draw.choice(([], [2])), params["dtype"])
    for each in fields:
        # The padding value, and zeros, are data as well.
        whole = not each.is_floating_point()
        padding = params["padding"]
        each[0] = int(padding) if whole else padding
        each[-1] = 0
    return {"batch": fields, "options": {"padding_value": params["padding"]}}


def _mixture(params: Params, draw: Draw) -> Params:
    dtypes = params["dtypes"]
    lengths = _lengths(draw, max(3, len(dtypes)))
    batch = [
        _tensor(draw, [length, 2], dtypes[place % len(dtypes)])
        for place, length in enumerate(lengths)
    ]
    return {"batch": batch, "options": {"padding_value": params["padding"]}}


def _record(kind: str, draw: Draw) -> Any:
    """Draw one sample of a structure."""
    tokens = _tensor(draw, [draw.integer(1, 6)], "int64")
    audio = _tensor(draw, [draw.integer(1, 6), 2], "float32")
    number, text = draw.integer(-9, 9), draw.choice(("a", "语料", "", "x y"))
    scalar = _tensor(draw, [], draw.choice(("float32",)))
    if kind == "records":
        inner = {"as": "list", "items": [audio, number]}
        keys = ["x", "inner", "pair", "name", "weight"]
        items = [tokens, inner, _pair(text, audio.clone()), text, scalar]
        return {"as": "dict", "keys": keys, "items": items}
    if kind == "named":
        return {"as": "named", "keys": ["tokens", "label"], "items": [tokens, number]}
    if kind == "clips":
        keys = ["audio", "text", "speaker"]
        items = [audio, text, {"as": "dict", "keys": ["id"], "items": [scalar]}]
        return {"as": "named", "keys": keys, "items": items}
    if kind == "ordered":
        items = [tokens, float(number) / 4, draw.chance(0.5)]
        return {"as": "ordered", "keys": ["z", "a", "m"], "items": items}
    if kind == "numbers":
        # Of more digits than half precision or float32 has.
        large = 2**40 + draw.integer(0, 10**6)
        exact = float(draw.uniform([], 1.0, 9.0, torch.float64))
        return _pair(large, exact, draw.chance(0.5), scalar.long(), scalar.double())
    if kind == "lists":
        return {"as": "list", "items": [tokens, audio]}
    if kind == "texts":
        return _pair(text, text.encode(), tokens)
    return _deep(tokens, audio, number)


def _deep(tokens: torch.Tensor, audio: torch.Tensor, number: int) -> Any:
    inner = {"as": "named", "keys": ["tokens", "label"], "items": [tokens, _pair(audio, number)]}
    middle = {"as": "list", "items": [{"as": "dict", "keys": ["of"], "items": [inner]}]}
    return _pair({"as": "dict", "keys": ["deep"], "items": [middle]}, number)


def _structures(params: Params, draw: Draw) -> Params:
    kind = params["kind"]
    if kind == "keys":
        samples = [_record("ordered", draw) for _ in range(3)]
        # The same keys in another order.
        samples[1]["keys"].reverse()
        samples[1]["items"].reverse()
    else:
        samples = [_record(kind, draw) for _ in range(draw.integer(2, 4))]
    options: Params = {"batch_first": False} if kind == "deep" else {}
    return {"batch": samples, "options": options}


def _refusals(params: Params, draw: Draw) -> Params:
    def x(*shape: int) -> torch.Tensor:
        return _tensor(draw, list(shape), "float32")

    def record(*keys: str) -> Any:
        return {"as": "dict", "keys": list(keys), "items": [x(2) for _ in keys]}

    n, below = draw.integer(1, 5), -draw.integer(1, 5)
    good = [x(n), x(2)]
    if params["kind"] == "tensors":
        calls: dict[str, Any] = {
            "empty": [],
            "tail": [x(n, 2), x(n, 3)],
            "tail of the second": [x(n, 2, 3), x(2, 2, 3), x(2, 3, 2)],
            "rank": [x(n, 2), x(n)],
            "0-d": [x(n), x()],
            "tensor and number": [x(n), 3],
            "number and tensor": [3.0, x(n)],
            **MIXED,
        }
        found = {name: {"batch": batch, "options": {}} for name, batch in calls.items()}
        for of in (0, below):
            found[f"multiple of {of}"] = {"batch": good, "options": {"pad_to_multiple_of": of}}
    else:
        named = {"as": "tuple", "items": [x(n), {"as": "tuple", "items": [None, 1]}]}
        calls = {
            "keys": [record("a", "b"), record("a", "c")],
            "more keys": [record("a"), record("a", "b")],
            "fewer keys": [record("a", "b"), record("a")],
            "fields": [_pair(x(n), x(2)), _pair(x(n))],
            "more fields": [_pair(x(n)), _pair(x(n), x(2))],
            "list of fields": [{"as": "list", "items": [1]}, {"as": "list", "items": [1, 2]}],
            "mixed inside": [_pair(1, x(n)), _pair(2, 1)],
            "None": [None, None],
            "object": [_pair(x(n), {"as": "object"}), _pair(x(n), {"as": "object"})],
            "None inside": [named, named],
        }
        found = {name: {"batch": batch, "options": {}} for name, batch in calls.items()}
    return {"op": "refuse", "calls": found}


def _aliases(params: Params, draw: Draw) -> Params:
    fields = _fields(draw, params["lengths"], [2], "float32")
    batch = [_pair(x, _tensor(draw, [], "float32")) for x in fields]
    return {"op": "alias", "batch": batch, "options": {"batch_first": params["first"]}}


def _loaded(params: Params, draw: Draw) -> Params:
    keys, count = ["tokens", "label"], draw.integer(5, 7)
    batch = [
        {"as": "dict", "keys": keys, "items": [_tensor(draw, [length], "int64"), length]}
        for length in _lengths(draw, count)
    ]
    options = {"padding_value": -100, "pad_to_multiple_of": 4, "batch_first": params["first"]}
    return {"op": "loader", "batch": batch, "options": options, "size": 2}


def _grown(params: Params, draw: Draw) -> Params:
    count, longest = params["batch"], params["longest"]
    lengths = [draw.integer(longest // 2, longest) for _ in range(count - 1)] + [longest]
    flat = draw.normal([sum(lengths), 8])
    return {"op": "growth", "flat": flat, "lengths": lengths, "options": {}}


BUILDERS: dict[str, Callable[[Params, Draw], Params]] = {
    "pairs": _pairs,
    "plain": _plain,
    "multiple": _multiple_of,
    "edge": _edges,
    "layout": _laid_out,
    "slices": _slices,
    "leaves": _leaves,
    "value": _values,
    "mixed": _mixture,
    "nested": _structures,
    "errors": _refusals,
    "alias": _aliases,
    "loader": _loaded,
    "growth": _grown,
}
