"""The study of checkpointing: what does not depend on the clock, and what measures it."""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from torchstone.models.studies import checkpointing as study
from torchstone.models.studies.checkpointing import SHORT, VARIANTS, Variant
from torchstone.models.studies.measuring import Alive, follow_step, processor_ms, spread_of

pytestmark = [pytest.mark.torch, pytest.mark.full]

NOTHING = VARIANTS[0]
# What goes into a layer, and the sums of the rows of attention.
INPUT_BYTES = 4 * SHORT.batch * SHORT.seq_len * SHORT.width
SUMS_BYTES = 4 * SHORT.batch * SHORT.seq_len * SHORT.num_heads
RANDOM_STATE_BYTES = 5056


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    path = tmp_path_factory.mktemp("study") / "results.json"
    assert study.main(["--short", "--json", str(path)]) == 0
    whole = json.loads(path.read_text(encoding="utf-8"))
    assert whole["machine"]["num_threads"] == 1
    assert whole["plan"]["num_layers"] == SHORT.num_layers
    return {each["name"]: each for each in whole["results"]}


def steps(variant: Variant) -> tuple[Callable[[], Tensor], Callable[[Tensor], None]]:
    model, text = study.build(SHORT)
    return lambda: study.loss_of(model, text, variant), lambda loss: loss.backward()


def test_gradients_are_the_same_bits(results: dict[str, dict[str, Any]]) -> None:
    assert list(results) == [each.name for each in VARIANTS]
    assert all(each["has_same_gradients"] for each in results.values())


def test_gradients_are_the_same_bits_with_dropout() -> None:
    plan = replace(SHORT, num_layers=2, num_rounds=1, dropout=0.3)
    assert all(each.has_same_gradients for each in study.measure(plan))


def test_other_gradients_are_told() -> None:
    plan = replace(SHORT, num_layers=1, num_rounds=1)
    wrong = Variant("wrong", 1, lambda part, x: part(x * 1.0001), NOTHING.inner)
    assert [each.has_same_gradients for each in study.measure(plan, (NOTHING, wrong))] == [
        True,
        False,
    ]


@pytest.mark.full
@pytest.mark.parametrize("kind", ["held_bytes", "peak_bytes"])
def test_less_is_kept_step_by_step(results: dict[str, dict[str, Any]], kind: str) -> None:
    order = ["nothing", "products kept", "attention kept", "each layer"]
    sizes = [results[name][kind] for name in order]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)


def test_what_is_held_is_what_the_choice_says(results: dict[str, dict[str, Any]]) -> None:
    held = {name: each["held_bytes"] for name, each in results.items()}
    num_layers, size = SHORT.num_layers, math.isqrt(SHORT.num_layers)
    fewer = num_layers - num_layers // size
    assert held["each layer"] - held["root of all"] == fewer * INPUT_BYTES
    assert held["root, and each layer"] == held["root of all"]
    attention = num_layers * (INPUT_BYTES + SUMS_BYTES)
    assert held["attention kept"] - held["each layer"] == attention
    # Query, key, value and what attention's product gives; four widths up, one down.
    assert held["products kept"] - held["attention kept"] == num_layers * 9 * INPUT_BYTES


def test_what_is_multiplied_again_is_what_the_choice_says(
    results: dict[str, dict[str, Any]],
) -> None:
    flops = {name: each["flops"] - results["nothing"]["flops"] for name, each in results.items()}
    places, width = SHORT.batch * SHORT.seq_len, SHORT.width
    # A width by a width for query, key, value and out, four of them up. The four down are the last
    # product: nothing wants its result.
    products, attention = 8 * 2 * places * width**2, 4 * places * SHORT.seq_len * width
    down = 4 * 2 * places * width**2
    num_layers, num_groups = SHORT.num_layers, SHORT.num_layers // math.isqrt(SHORT.num_layers)
    assert flops["products kept"] == 0
    assert flops["attention kept"] == num_layers * products
    assert flops["each layer"] == num_layers * (products + attention)
    # Within a group only the last layer ends early.
    of_groups = num_layers * (products + attention) + (num_layers - num_groups) * down
    assert flops["root of all"] == of_groups
    # The last layer of a group is not entered in the group's second call.
    inner = num_layers * (products + attention)
    outer = (num_layers - num_groups) * (products + attention + down)
    assert flops["root, and each layer"] == inner + outer


@pytest.mark.parametrize("kind", ["held_bytes", "peak_bytes", "flops"])
def test_ours_and_torch_s_hold_the_same(results: dict[str, dict[str, Any]], kind: str) -> None:
    both = [name for name in results if f"torch: {name}" in results]
    assert len(both) == 4
    assert all(results[name][kind] == results[f"torch: {name}"][kind] for name in both)


def test_what_is_held_is_what_autograd_saves() -> None:
    forward, backward = steps(NOTHING)
    model, text = study.build(SHORT)
    before = {each.untyped_storage().data_ptr() for each in (*model.parameters(), text)}
    before |= {each.untyped_storage().data_ptr() for each in model.buffers()}
    saved: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in before:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        loss = study.loss_of(model, text, NOTHING)
    held = follow_step(forward, backward).held_bytes
    assert held == sum(saved.values()) + loss.nbytes


def profiled_peak_bytes(forward: Callable[[], Tensor], backward: Callable[[Tensor], None]) -> int:
    with torch.profiler.profile(profile_memory=True) as profiler:
        backward(forward())
    assert profiler.profiler is not None
    now = peak = 0
    for event in sorted(profiler.profiler.kineto_results.events(), key=lambda e: e.start_ns()):
        if event.name() == "[memory]":
            now += event.nbytes()
            peak = max(peak, now)
    return peak


@pytest.mark.parametrize("name", ["nothing", "each layer", "torch: products kept"])
def test_the_allocator_says_the_same(name: str) -> None:
    forward, backward = steps(next(each for each in VARIANTS if each.name == name))
    # What is made once and stays is made before.
    backward(forward())
    followed = follow_step(forward, backward).peak_bytes
    states = 0 if name == "nothing" else SHORT.num_layers
    assert profiled_peak_bytes(forward, backward) == followed + states * RANDOM_STATE_BYTES


def test_storages_are_followed_to_their_end() -> None:
    before = torch.ones(100)
    alive = Alive()
    with alive:
        first = before * 2
        view = first[10:]
        view += 1
        before.add_(1)
        assert alive.num_bytes == 400
        second = first + before
        assert alive.num_bytes == alive.peak_bytes == 800
        del first, second
        # The view holds the first.
        assert alive.num_bytes == 400
        del view
        assert alive.num_bytes == 0
        products = torch.ones(2, 3) @ torch.ones(3, 5)
    assert (alive.peak_bytes, alive.flops, products.shape) == (800, 2 * 2 * 3 * 5, (2, 5))


def test_times_are_told_by_their_middle() -> None:
    assert spread_of([3.0]) == 0
    assert spread_of([1.0, 2.0, 3.0, 4.0, 5.0]) == 2
    turns: list[int] = []
    times = processor_ms([lambda: turns.append(0), lambda: turns.append(1)], 3)
    # A round to warm up, and then in turns.
    assert turns == [0, 1] * 4
    assert [len(own) for own in times] == [3, 3]


def test_the_table_says_what_is_not_the_same() -> None:
    result = study.Result(
        name="wrong",
        held_bytes=2**20,
        peak_bytes=3 * 2**20,
        flops=0,
        median_ms=1.0,
        spread_ms=0.0,
        ratio=1.0,
        has_same_gradients=False,
    )
    last = study.table([result]).splitlines()[-1]
    assert last.split() == ["wrong", "1.00", "3.00", "0.000", "1.00", "0.00", "1.00", "OTHERS"]


def test_what_is_kept_in_the_repository_is_of_this_study() -> None:
    path = Path(__file__).parents[2] / "benchmarks" / "studies" / "checkpointing.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    assert [each["name"] for each in whole["results"]] == [each.name for each in VARIANTS]
    assert all(each["has_same_gradients"] for each in whole["results"])
    assert "load" in whole["machine"]


def test_the_figures_are_what_their_script_draws() -> None:
    command = [sys.executable, Path(__file__).parents[2] / "tools" / "model_figures.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
