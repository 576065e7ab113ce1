"""Ask for boxes, and let the wrapper mix many batches; only the oracle reads what came out."""

from __future__ import annotations

import random
from typing import Any

import numpy
import torch

# Captured here, before a submission could replace them.
make_generator = torch.Generator
stack = torch.stack
rand = torch.rand
untyped_storage, address_of = torch.Tensor.untyped_storage, torch.UntypedStorage.data_ptr
seed_default = torch.default_generator.manual_seed
# What is read of every generator that a wrapper has no business with.
STATES = {
    "torch": torch.get_rng_state,
    "random": random.getstate,
    "numpy": numpy.random.get_state,
}


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one request."""
    return OPERATIONS[op](submission, data, tools)


def boxes(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Ask for many boxes, one call each."""
    return {name: listed(submission.cutmix_box(*given)) for name, given in data["given"].items()}


def batches(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Let one wrapper mix the same batch many times."""
    wrapper = submission.MixupCutmix(*data["init"], **data["options"])
    x, y = data["x"], data["y"]
    generator = seeded(data["seed"])
    before = read_states()
    results = [wrapper(x, y, generator) for _ in range(data["count"])]
    found: dict[str, Any] = changed(before, read_states(), tools)
    places = places_of(x, y)
    pairs = [parts_of(result, places, tools) for result in results]
    for position, name in enumerate(("images", "targets")):
        forms = {(pair[position].dtype, pair[position].shape) for pair in pairs}
        found[f"{name} as"] = sorted(f"{dtype} {tuple(shape)}" for dtype, shape in forms)
    if all(len(found[f"{name} as"]) == 1 for name in ("images", "targets")):
        found["batches"] = [stack([pair[k] for pair in pairs]).detach() for k in (0, 1)]
    # The oracle reads these out of the batches.
    return found | {"shares": True, "partners": True, "lam": True, "boxes": True}


def single(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Let differently made wrappers mix one batch each."""
    found: dict[str, Any] = {}
    for name, each in data["calls"].items():
        wrapper = submission.MixupCutmix(*each["init"], **each["options"])
        given = (each["x"], each["y"])
        before = [tools.storage_snapshot(item) for item in given]
        result = wrapper(*given, seeded(each["seed"]))
        pairs = zip(given, before, strict=True)
        if any(tools.storage_changed(item, old) for item, old in pairs):
            raise tools.Fault("call_mutated")
        for position, item in enumerate(parts_of(result, places_of(*given), tools)):
            found[f"{name}.{position}"] = tools.sendable(item)
    return found


def repeats(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Observe what a wrapper's results depend on."""
    wrapper = submission.MixupCutmix(*data["init"])
    other = submission.MixupCutmix(*data["init"])
    given = (data["x"], data["y"])
    places = places_of(*given)

    def mixed(by: Any, generator: Any) -> list[Any]:
        return [
            part
            for _ in range(data["count"])
            for part in parts_of(by(*given, generator), places, tools)
        ]

    def same(left: list[Any], right: list[Any]) -> bool:
        return all(tools.same_bits(a, b) for a, b in zip(left, right, strict=True))

    first, second = data["seeds"]
    generator, moved = seeded(first), seeded(first)
    rand(1, generator=moved)
    start = generator.get_state()
    once = mixed(wrapper, generator)
    advanced = not tools.same_bits(start, generator.get_state())
    seed_default(first)
    before = read_states()
    by_default = mixed(wrapper, None)
    after = read_states()
    seed_default(first)
    default_again = mixed(other, None)
    return {
        "same state": same(once, mixed(wrapper, seeded(first))),
        "another object": same(once, mixed(other, seeded(first))),
        "another seed": same(once, mixed(wrapper, seeded(second))),
        "moved on": same(once, mixed(wrapper, moved)),
        "advances": advanced,
        "default advances": not tools.same_bits(before["torch"], after["torch"]),
        "default again": same(by_default, default_again),
        "default elsewhere": same(by_default, mixed_after(second, mixed, other)),
    } | changed(before | {"torch": after["torch"]}, after, tools)


def mixed_after(seed: int, mixed: Any, wrapper: Any) -> list[Any]:
    """Mix with the default generator under another seed."""
    seed_default(seed)
    result: list[Any] = mixed(wrapper, None)
    return result


def seeded(seed: int) -> torch.Generator:
    """Return a new generator."""
    return make_generator().manual_seed(seed)


def read_states() -> dict[str, Any]:
    """Read the generators of the process."""
    return {name: read() for name, read in STATES.items()}


def changed(before: dict[str, Any], after: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Say of every generator of the process whether it is where it was."""
    numpys = (before["numpy"], after["numpy"])
    words = [(state[0], state[1].tolist(), *state[2:]) for state in numpys]
    return {
        "torch untouched": tools.same_bits(before["torch"], after["torch"]),
        "random untouched": before["random"] == after["random"],
        "numpy untouched": words[0] == words[1],
    }


def places_of(*tensors: Any) -> set[int]:
    """Return where the storages of tensors lie, if they hold anything."""
    return {address_of(untyped_storage(tensor)) for tensor in tensors} - {0}


def parts_of(result: Any, places: set[int], tools: Any) -> tuple[Any, Any]:
    """Return images and targets, which must be plain tensors in places of their own."""
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise tools.Fault("result_type", type=type(result).__name__)
    for position, item in enumerate(result):
        if not tools.is_plain(item):
            raise tools.Fault("nth_result_type", position=position, type=type(item).__name__)
        if address_of(untyped_storage(item)) in places:
            raise tools.Fault("nth_result_shares_input", position=position)
    return tuple(result)


def listed(value: Any) -> Any:
    """Return a box as a list; of numbers that are no ints, the type."""
    if not isinstance(value, (tuple, list)):
        return f"a {type(value).__name__}"
    return [item if type(item) is int else f"a {type(item).__name__}" for item in value]


OPERATIONS = {"boxes": boxes, "batches": batches, "single": single, "repeats": repeats}
