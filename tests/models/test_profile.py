"""What a model costs: counted by hand for models that are small enough."""

import pytest
import torch
from torch import Tensor, nn

from torchstone.models import LanguageModel, Layer, Mask
from torchstone.models.profile import Profile, profile

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


@pytest.mark.parametrize("backend", ["math", "flash"])
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
