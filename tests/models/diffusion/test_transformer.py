"""The transformer is the paper's, tells nothing at first, and refuses what does not fit it."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from torchstone.models.diffusion.transformer import (
    Block,
    DiffusionTransformer,
    from_patches,
    to_patches,
)
from torchstone.models.positions import Sinusoidal

pytestmark = pytest.mark.torch

SIZE, CHANNELS, CLASSES, STEPS, WIDTH, HEADS = 8, 2, 3, 20, 16, 2


def make(*, is_fresh: bool = False) -> DiffusionTransformer:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = DiffusionTransformer(
            SIZE, CHANNELS, CLASSES, STEPS, width=WIDTH, depth=2, num_heads=HEADS
        )
        for each in () if is_fresh else model.parameters():
            nn.init.normal_(each, std=0.3)
    return model.double()


def inputs() -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(4, CHANNELS, SIZE, SIZE, dtype=torch.float64, generator=generator)
    return x, torch.tensor([0, 19, 7, 7]), torch.tensor([0, 2, 3, 1])


def block_in_plain_torch(block: Block, x: Tensor, condition: Tensor) -> Tensor:
    parts = F.linear(condition, block.condition.weight, block.condition.bias)
    shift, scale, gate, shift2, scale2, gate2 = parts[:, None].split(WIDTH, -1)
    attention, net = block.attention, block.feed_forward

    def heads(x: Tensor) -> Tensor:
        return x.reshape(len(x), -1, HEADS, WIDTH // HEADS).transpose(1, 2)

    normed = F.layer_norm(x, (WIDTH,), eps=1e-6) * (1 + scale) + shift
    query, key, value = (
        heads(F.linear(normed, each.weight, each.bias))
        for each in (attention.query, attention.key, attention.value)
    )
    seen = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(x.shape)
    x = x + gate * F.linear(seen, attention.out.weight, attention.out.bias)
    normed = F.layer_norm(x, (WIDTH,), eps=1e-6) * (1 + scale2) + shift2
    hidden = F.gelu(F.linear(normed, net.up.weight, net.up.bias), approximate="tanh")
    return x + gate2 * F.linear(hidden, net.down.weight, net.down.bias)


def in_plain_torch(model: DiffusionTransformer, x: Tensor, step: Tensor, labels: Tensor) -> Tensor:
    sines = Sinusoidal(WIDTH, STEPS).table.to(x)[step]
    condition = F.silu(model.step_net(sines) + model.labels.weight[labels])
    places = F.linear(
        F.unfold(x, 2, stride=2).transpose(1, 2), model.patches_in.weight, model.patches_in.bias
    )
    half = Sinusoidal(WIDTH // 2, SIZE // 2).table.to(x)
    side = range(SIZE // 2)
    places = places + torch.stack([torch.cat([half[i], half[j]]) for i in side for j in side])
    for block in model.blocks:
        assert isinstance(block, Block)
        places = block_in_plain_torch(block, places, condition)
    shift, scale = model.condition_out(condition)[:, None].split(WIDTH, -1)
    normed = F.layer_norm(places, (WIDTH,), eps=1e-6) * (1 + scale) + shift
    return F.fold(model.patches_out(normed).transpose(1, 2), (SIZE, SIZE), 2, stride=2)


def test_it_is_the_paper_s() -> None:
    model = make()
    found, wanted = model(*inputs()), in_plain_torch(model, *inputs())
    assert wanted.std() > 0.1
    torch.testing.assert_close(found, wanted)


def test_at_first_it_tells_zeros_and_its_blocks_change_nothing() -> None:
    model, x = make(is_fresh=True), torch.randn(2, 5, WIDTH, dtype=torch.float64)
    assert not bool(model(*inputs()).any())
    for block in model.blocks:
        assert torch.equal(block(x, torch.randn(2, WIDTH, dtype=torch.float64)), x)


def test_all_of_it_learns_once_it_tells_something() -> None:
    model = make()
    model(*inputs()).square().sum().backward()
    # A shift of all keys alike leaves what a query sees as it was.
    still = [
        name
        for name, each in model.named_parameters()
        if each.grad is None or not each.grad.abs().max() > 1e-9
    ]
    assert still == [f"blocks.{number}.attention.key.bias" for number in range(2)]


def test_each_of_a_batch_is_told_alone() -> None:
    model, (x, step, labels) = make(), inputs()
    whole = model(x, step, labels)
    for place in range(4):
        one = slice(place, place + 1)
        torch.testing.assert_close(model(x[one], step[one], labels[one]), whole[one])
    other = model(x, step, (labels + 1) % (CLASSES + 1))
    later = model(x, (step + 1) % STEPS, labels)
    for changed in (other, later):
        assert ((changed - whole).flatten(1).abs().amax(1) > 1e-6).all()


@pytest.mark.parametrize("size", [1, 2, 4])
def test_patches_are_squares_row_by_row(size: int) -> None:
    x = torch.randn(3, 2, 8, 8)
    patches = to_patches(x, size)
    assert torch.equal(patches, F.unfold(x, size, stride=size).transpose(1, 2))
    assert torch.equal(from_patches(patches, size, 2), x)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"size": 9}, "patch_size is 2, which does not divide 9"),
        ({"size": 0}, "size is 0"),
        ({"channels": 0}, "channels is 0"),
        ({"num_classes": 0}, "num_classes is 0"),
        ({"num_steps": 0}, "num_steps is 0"),
        ({"patch_size": 0}, "patch_size is 0"),
        ({"depth": 0}, "depth is 0"),
        ({"width": 18}, "width is 18; expected a multiple of 4"),
        ({"num_heads": 3}, "does not divide 16"),
    ],
)
def test_numbers_that_do_not_go_together_are_refused(named: dict[str, int], said: str) -> None:
    sizes = {"size": 8, "channels": 1, "num_classes": 3, "num_steps": 5, "width": 16} | named
    with pytest.raises(ValueError, match=said):
        DiffusionTransformer(**sizes)


def test_inputs_that_do_not_fit_are_refused() -> None:
    model, (x, step, labels) = make(), inputs()
    for wrong in (x[:, :1], x[..., :4], x[0]):
        with pytest.raises(ValueError, match=r"expected \(batch, 2, 8, 8\)"):
            model(wrong, step, labels)
    with pytest.raises(TypeError, match=r"labels is torch\.float32"):
        model(x, step, labels.float())
    with pytest.raises(TypeError, match=r"step is torch\.int32"):
        model(x, step.int(), labels)
    with pytest.raises(ValueError, match=r"labels has shape \(3,\); expected \(4,\)"):
        model(x, step, labels[:3])
    for wrong in (-1, CLASSES + 1):
        with pytest.raises(ValueError, match=r"one of labels is not in 0 \.\.\. 3"):
            model(x, step, torch.tensor([0, 0, 0, wrong]))
    for wrong in (-1, STEPS):
        with pytest.raises(ValueError, match=r"one of step is not in 0 \.\.\. 19"):
            model(x, torch.tensor([0, 0, 0, wrong]), labels)
