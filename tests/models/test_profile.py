"""What a model costs: counted by hand for models that are small enough."""

import pytest
import torch
from torch import Tensor, nn

from torchstone.models import LanguageModel, Layer, Mask
from torchstone.models.limits import Limits, measure_limits
from torchstone.models.profile import Cost, Profile, profile

pytestmark = pytest.mark.torch


def kept_by_autograd(model: nn.Module, *inputs: Tensor) -> int:
    """Count what saved_tensors_hooks are given: each storage once, and parameters aside."""
    own = {each.untyped_storage().data_ptr() for each in model.parameters()}
    storages: dict[int, int] = {}
    held = []

    def note(tensor: Tensor) -> Tensor:
        held.append(tensor)
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            storages[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        out = model(*inputs)
    del out
    return sum(storages.values())


def test_a_product_is_counted_to_the_byte() -> None:
    linear = nn.Linear(5, 7)
    cost = profile(linear, torch.randn(3, 5)).whole
    assert cost.flops == 2 * 3 * 5 * 7
    # Input, weight, bias and output, each once.
    assert cost.num_bytes == 4 * (3 * 5 + 5 * 7 + 7 + 3 * 7)
    assert (cost.calls, cost.kind) == (1, "Linear")
    assert cost.intensity == cost.flops / cost.num_bytes


def test_a_batched_product_moves_its_operands_and_its_result_once() -> None:
    class Product(nn.Module):
        def forward(self, left: Tensor, right: Tensor) -> Tensor:
            return left @ right

    cost = profile(Product(), torch.randn(2, 3, 4, 5), torch.randn(2, 3, 5, 7)).whole
    assert cost.flops == 2 * 6 * 4 * 5 * 7
    assert cost.num_bytes == 4 * 6 * (4 * 5 + 5 * 7 + 4 * 7)


def test_memory_that_is_only_taken_is_not_moved() -> None:
    class Taking(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.empty_like(x)

    assert profile(Taking(), torch.randn(5)).whole.num_bytes == 0


@pytest.mark.parametrize("backend", ["math", "flash", "sdpa"])
def test_attention_is_counted_either_way(backend: str) -> None:
    batch, places, width = 2, 6, 24
    layer = Layer(width, 4, 40, backend=backend)
    found = profile(layer, torch.randn(batch, places, width))
    rows = batch * places
    projections = 4 * 2 * rows * width * width
    products = 2 * 2 * rows * places * width
    assert found.costs["attention"].flops == projections + products
    assert found.costs["feed_forward"].flops == 2 * 2 * rows * width * 40
    assert found.whole.flops == projections + products + 2 * 2 * rows * width * 40


def test_products_are_counted_without_autograd() -> None:
    linear, x = nn.Linear(5, 7), torch.randn(2, 3, 5)
    with torch.inference_mode():
        found = profile(linear, x).whole
    assert (found.flops, found.saved_bytes) == (2 * 6 * 5 * 7, 0)
    assert found.num_bytes == profile(linear, x).whole.num_bytes


def test_a_storage_is_kept_once_however_many_views_come_and_go() -> None:
    class Views(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            doubled = x * 2
            forgotten = doubled.view(-1).sin()
            kept = doubled.cos()
            del forgotten
            return kept, doubled.view(-1).sin()

    x = torch.randn(1000, requires_grad=True)
    assert profile(Views(), x).whole.saved_bytes == 4 * 1000


def test_each_run_has_an_autocast_of_its_own() -> None:
    linear, x = nn.Linear(50, 50), torch.randn(2, 50, requires_grad=True)

    def half() -> torch.autocast:
        return torch.autocast("cpu", torch.bfloat16)

    whole = profile(linear, x, around=half).whole
    # The copy of the weight, which autograd keeps, is made anew in the run that is followed.
    assert whole.peak_bytes >= whole.saved_bytes >= 2 * 50 * 50


def test_what_is_kept_is_what_the_hooks_of_autograd_are_given() -> None:
    layers = [Layer(24, 4, dropout=0.1), Layer(24, 2, norm="rms", activation="swiglu")]
    model = LanguageModel(31, layers)
    tokens = torch.randint(31, (2, 9))
    torch.manual_seed(1)
    found = profile(model, tokens)
    torch.manual_seed(1)
    assert found.whole.saved_bytes == kept_by_autograd(model, tokens)
    stack = found.costs["stack"]
    assert sum(found.costs[f"stack.layers.{n}"].saved_bytes for n in (0, 1)) == stack.saved_bytes


def test_a_module_costs_what_those_inside_it_cost_and_more() -> None:
    found = profile(Layer(24, 4), torch.randn(2, 6, 24), mask=Mask(is_causal=True))
    for name, cost in found.costs.items():
        inside = [
            each
            for other, each in found.costs.items()
            if other and other.rpartition(".")[0] == name
        ]
        assert cost.flops >= sum(each.flops for each in inside)
        assert cost.num_bytes >= sum(each.num_bytes for each in inside)
        assert cost.saved_bytes >= sum(each.saved_bytes for each in inside)
        assert cost.seconds >= sum(each.seconds for each in inside) * 0.99


def test_nothing_is_left_behind() -> None:
    layer = Layer(8, 2)
    profile(layer, torch.randn(1, 2, 8))
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in layer.modules())
    with pytest.raises(ValueError, match="this layer has no memory"):
        profile(layer, torch.randn(1, 2, 8), torch.randn(1, 2, 8))
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in layer.modules())


def test_the_table_names_modules_down_to_a_depth() -> None:
    found: Profile = profile(Layer(8, 2), torch.randn(1, 2, 8))
    lines = found.table(depth=1).splitlines()
    assert lines[0].split()[:2] == ["module", "kind"]
    assert lines[1].split()[:2] == ["model", "Layer"]
    assert {line.split()[0] for line in lines[2:]} == {
        "attention_norm", "attention", "dropout", "feed_forward_norm", "feed_forward",
    }  # fmt: skip
    assert len(found.table(depth=2).splitlines()) > len(lines)


def test_the_peak_is_what_the_allocator_held_at_most() -> None:
    class Holder(nn.Module):
        """Makes 4,000 bytes, then 8,000 beside them, then 4 with the 8,000 gone."""

        def forward(self, x: Tensor) -> Tensor:
            one = x + 1
            two = torch.cat([one, one])
            total = two.sum()
            del two
            return total + 1

    model = nn.Sequential(nn.Identity(), Holder())
    found = profile(model, torch.zeros(1000))
    # Allocators round up to 64 bytes at most.
    assert 12_000 <= found.costs["1"].peak_bytes <= 12_000 + 4 * 64
    assert found.whole.peak_bytes == found.costs["1"].peak_bytes
    assert found.costs["0"].peak_bytes == 0


def test_attention_that_holds_no_scores_has_a_lower_peak() -> None:
    batch, heads, places, width = 1, 4, 256, 32
    scores = batch * heads * places * places * 4
    peaks = {
        backend: profile(
            Layer(width, heads, backend=backend), torch.randn(batch, places, width)
        ).costs["attention"]
        for backend in ("math", "flash")
    }
    assert peaks["math"].peak_bytes > 2 * scores
    assert peaks["flash"].peak_bytes < scores


def test_the_share_of_the_roofline_is_of_the_limit_that_binds() -> None:
    limits = Limits(flops_per_second=100.0, bytes_per_second=10.0)
    bound_by_products = Cost("", "a", flops=1000, num_bytes=10, seconds=20.0)
    bound_by_memory = Cost("", "a", flops=1000, num_bytes=400, seconds=50.0)
    assert bound_by_products.roofline_share(limits) == pytest.approx(0.5)
    assert bound_by_memory.roofline_share(limits) == pytest.approx(0.8)


def test_limits_are_those_of_a_machine_that_computes() -> None:
    limits = measure_limits(rounds=1)
    # A pocket calculator has less, and no machine of today as much.
    assert 1e7 < limits.flops_per_second < 1e16
    assert 1e7 < limits.bytes_per_second < 1e14


def test_hooks_are_gone_afterwards_even_if_the_model_fails() -> None:
    model = nn.Sequential(nn.Linear(3, 3))
    with pytest.raises(RuntimeError):
        profile(model, torch.zeros(2, 4))
    profile(model, torch.zeros(2, 3))
    for module in model.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks


def test_a_module_is_told_by_what_its_path_adds() -> None:
    found = profile(nn.Sequential(nn.Sequential(Layer(8, 2))), torch.zeros(1, 3, 8))
    told = {name: (cost.label, cost.level) for name, cost in found.costs.items()}
    assert told[""] == ("", 0)
    assert told["0"] == ("0", 1)
    assert told["0.0"] == ("0", 2)
    # A list of modules is not called, and so is part of the name.
    language = profile(LanguageModel(5, [Layer(8, 2)]), torch.zeros(1, 3, dtype=torch.long))
    assert language.costs["stack.layers.0"].label == "layers.0"
    assert language.costs["stack.layers.0"].level == 2
