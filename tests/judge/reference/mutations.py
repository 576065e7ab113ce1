"""Mutations of answers: the nodes, keys, tensors, texts and bytes that a hostile process sends."""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch

from torchstone.judge.child.protocol import wire
from torchstone.judge.reference import server

PLACE = {
    "what": "global load",
    "requests": 4,
    "lanes": 128,
    "sectors": 16,
    "ideal_sectors": 16,
    "fresh_sectors": 16,
    "wavefronts": 4,
    "ideal_wavefronts": 4,
    "contention": 0,
    "bytes": 4,
}
KERNEL = {
    "kernel": "k",
    "grid": [4, 1, 1],
    "block": [32, 1, 1],
    "launches": 1,
    "counted_blocks": 4,
    "barriers": 1,
    "store_epochs": 1,
    "static_bytes": 64,
    "places": [PLACE, PLACE | {"what": "shared load"}, PLACE | {"what": "global atomic add"}],
}
COUNTERS = json.dumps([KERNEL])
FINDINGS = json.dumps([{"kind": "RAW", "line": 3}, {"kind": "out-of-bounds", "address": 4096}])
RAISED = {
    "type": "ValueError",
    "bases": ["Exception"],
    "message": "no",
    "line": 3,
    "text": "raise",
    "memory": False,
}


def _tensor(dtype: str, shape: list[int], stride: list[int], offset: int = 0) -> dict[str, Any]:
    return {"x": [dtype, shape, stride, offset, 0]}


def _nested(depth: int, node: Any, wrap: Callable[[Any], Any]) -> Any:
    for _ in range(depth):
        node = wrap(node)
    return node


DTYPES = sorted(name for name, item in vars(torch).items() if type(item) is torch.dtype)
# Nodes of the tree: what a process may write there that is no answer, or just not this one.
ATOMS: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 65, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64),
    *(10**18, 10**400, -(10**400), 10**4000, 0.0, -0.0, 0.5, 1e-320, 1e308, -1e308, 3.0),
    *({"f": "nan"}, {"f": "inf"}, {"f": "-inf"}, {"f": "1"}, {"f": None}),
    *("", "text", "an error", "[]", "nan", "\ud800", "\udcff\n", "\0", "\x1b[31m", "名"),
    "x" * 5000,
    *("{}", "{0}", "{name!r}", "%s", "cudaErrorUnknown", COUNTERS, FINDINGS, "[" * 5000, "1e400"),
    *([], [0], [None], [65, None], [None, 65], [65, 65], [65, True], [10**400, 10**400], [65] * 3),
    *([0.0, 1.0], [{"f": "nan"}, 1], ["65", "66"], [[]], [[1], [2]], [_tensor("quint8", [2], [1])]),
    *({"t": []}, {"t": [1]}, {"t": [65, None]}, {"t": 3}, {"d": {}}, {"d": {"type": 1}}, {"d": []}),
    *({"d": {"type": "x", "key": "y"}}, {"d": {"key": _tensor("float32", [3], [1])}}, {}, {"z": 1}),
    *({"d": {"type": _tensor("float32", [3], [1])}}, {"t": [], "d": {}}, {"b": 0}, {"b": 9}),
    *({"d": {"cpu": [1], "meta": [1], "fake": [1]}}, {"d": {"cpu": 1, "meta": None, "fake": []}}),
    *({"d": RAISED}, {"d": RAISED | {"line": 10**400}}, {"d": RAISED | {"bases": {"d": {}}}}),
    *({"d": RAISED | {"more": _nested(50, 1, lambda node: [node])}}, {"d": RAISED | {"text": 1}}),
    {"d": RAISED | {"memory": 1}},
    *({"d": {"key": "value_type", "values": {"d": {"type": "x"}}}}, {"d": {"key": "value_type"}}),
    *({"y": "float32"}, {"y": "nonsense"}, {"y": "onnx"}, {"y": "_inductor"}, {"y": 3}),
    *({"p": [1, 2]}, {"p": [_tensor("float32", [2], [1])] * 2}, {"b": -1}, {"b": True}),
    *(_tensor(dtype, [3], [1]) for dtype in DTYPES),
    *(_tensor(dtype, [], []) for dtype in ("bool", "complex64", "quint8", "float32", "int64")),
    *(_tensor("float32", shape, stride) for shape, stride in (
        ([0], [1]), ([1 << 40], [0]), ([2], [1 << 61]), ([3], [0]), ([0, 1 << 61], [1, 1]),
        ([1] * 64, [1] * 64), ([1] * 65, [1] * 65), ([2], [1, 1]), ([-1], [1]), ([2], [-1]),
        ([1 << 26], [0]), ([2, 2], [1, 1]), ([True], [1]), ([3.0], [1]), ([10**400], [0]),
    )),
    _tensor("float32", [3], [1], 1 << 61), _tensor("float32", [3], [1], -1),
    _tensor("__dict__", [3], [1]), _tensor("Tensor", [3], [1]), _tensor("compile", [3], [1]),
    _nested(30, 1, lambda node: [node]), _nested(70, 1, lambda node: [node]),
    _nested(40, 1, lambda node: {"d": {"a": node}}), _nested(61, None, lambda node: {"t": [node]}),
)  # fmt: skip
KEYS = (
    *("raised", "fault", "1:raised", "2:fault", "random:findings", "1:random:counters", "out", ""),
    *("random:error", "random:broken", "ascending:elsewhere", "random:to_host", "0", ":"),
    "::fault",
    *("second.raised", "x.raised", "\ud800", "k" * 300, "{0}", "grad.0", "1:out", "calls"),
    "0.raised",
)  # fmt: skip
# What stands in reports of the simulator.
IN_REPORTS = (
    *(None, True, 0, -1, 1, 2**53, 2**60, 10**400, 1e308, float("nan"), float("inf"), 0.5, "3"),
    *("", [], [1], {}, {"what": "shared load"}, "global load", "\ud800", [[1, 2, 3]], [1, 2, 3]),
)


def _can_be_read(node: Any) -> bool:
    tree = json.dumps({"d": {"a": node}}).encode()
    frame = wire.Frame(kind=b"A", tree=tree, blobs=[bytes(64)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return server.read_answers([frame]) is not None


# As text: each use is a tree of its own, which the next mutation may change.
_ANY = [json.dumps(atom) for atom in ATOMS]
# What reaches the grade is drawn more often than what is refused before.
_READABLE = [json.dumps(atom) for atom in ATOMS if _can_be_read(atom)]


def _atom(rng: random.Random) -> Any:
    return json.loads(rng.choice(_READABLE if rng.random() < 0.9 else _ANY))


def mutated(rng: random.Random, right: str, blobs: list[bytes]) -> tuple[bytes, list[bytes]]:
    """Return the tree and the blobs of an answer, mutated in one to three places."""
    tree, blobs = json.loads(right), blobs or [bytes(64)]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        entries = tree["d"] if isinstance(tree, dict) and isinstance(tree.get("d"), dict) else {}
        tree = rng.choices(
            (_replace, _edit_keys, _edit_tensor, _edit_text, _wrap), (8, 3, 2, 4, 1)
        )[0](rng, tree, entries)
    if rng.random() < 0.05:
        blobs = [_edit_blob(rng, blob) for blob in blobs]
    text = json.dumps(tree).encode()
    return (_edit_bytes(rng, text) if rng.random() < 0.05 else text), blobs


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (dict, list)):
            for place in node if isinstance(node, dict) else range(len(node)):
                yield node, place
                waiting.append(node[place])


def _any_place(rng: random.Random, tree: Any) -> tuple[Any, Any] | None:
    places = list(_places(tree))
    return rng.choice(places) if places else None


def _replace(rng: random.Random, tree: Any, entries: dict[str, Any]) -> Any:
    if entries and rng.random() < 0.7:
        entries[rng.choice(list(entries))] = _atom(rng)
    elif (place := _any_place(rng, tree)) is not None:
        place[0][place[1]] = _atom(rng)
    else:
        return _atom(rng)
    return tree


def _edit_keys(rng: random.Random, tree: Any, entries: dict[str, Any]) -> Any:
    names = list(entries)
    key = rng.choice(KEYS) if rng.random() < 0.5 or not names else f"1:{rng.choice(names)}"
    how = rng.randrange(4)
    if how == 0 and names:
        del entries[rng.choice(names)]
    elif how == 1 and names:
        entries[key] = entries.pop(rng.choice(names))
    elif how == 2 and len(names) > 1:
        a, b = rng.sample(names, 2)
        entries[a], entries[b] = entries[b], entries[a]
    else:
        entries[key] = _atom(rng)
    return tree


def _edit_tensor(rng: random.Random, tree: Any, entries: dict[str, Any]) -> Any:
    bodies = [node[place] for node, place in _places(tree) if place == "x"]
    bodies = [body for body in bodies if isinstance(body, list) and len(body) == 5]
    if not bodies:
        return _replace(rng, tree, entries)
    body, field_at = rng.choice(bodies), rng.randrange(5)
    if field_at == 0:
        body[0] = rng.choice(DTYPES)
    elif field_at in (1, 2) and isinstance(body[field_at], list) and rng.random() < 0.8:
        numbers = body[field_at]
        numbers[rng.randrange(len(numbers) + 1) :] = [rng.choice((0, 1, 2, 3, 1 << 40))]
    else:
        body[field_at] = rng.choice((0, 1, 3, -1, 1 << 61, None, [], [1], "0", 2.5, True))
    return tree


def _edit_text(rng: random.Random, tree: Any, entries: dict[str, Any]) -> Any:
    texts = [(node, place) for node, place in _places(tree) if isinstance(node[place], str)]
    if not texts:
        return _edit_keys(rng, tree, entries)
    node, place = rng.choice(texts)
    try:
        report = json.loads(node[place])
    except (ValueError, RecursionError):
        report = None
    if isinstance(report, (list, dict)) and (inner := _any_place(rng, report)) is not None:
        if rng.random() < 0.2 and isinstance(inner[0], dict):
            del inner[0][inner[1]]
        else:
            inner[0][inner[1]] = json.loads(json.dumps(rng.choice(IN_REPORTS)))
        node[place] = json.dumps(report)
    else:
        at = rng.randrange(len(node[place]) + 1)
        node[place] = node[place][:at] + rng.choice(
            ("", "\0", "\ud800", "9" * 400, "[", "{0}", "\n")
        )
    return tree


def _wrap(rng: random.Random, tree: Any, entries: dict[str, Any]) -> Any:
    around = rng.choice(([lambda node: [node]], [lambda node: {"t": [node]}]))[0]
    if entries:
        key = rng.choice(list(entries))
        entries[key] = _nested(rng.choice((1, 2, 30, 55, 58, 60, 62)), entries[key], around)
        return tree
    return around(tree)


def _edit_blob(rng: random.Random, blob: bytes) -> bytes:
    return rng.choice((blob, blob[: len(blob) // 2], b"\xff" * len(blob), b"\x7f" * len(blob), b""))


def _edit_bytes(rng: random.Random, text: bytes) -> bytes:
    at = rng.randrange(len(text) + 1)
    there = rng.choice((b"", b"\xff", b"[", b"{", b"}", b",", b"NaN", b"1e999", b'"', b"9" * 5000))
    return text[:at] + there + text[at + rng.randrange(4) :]
