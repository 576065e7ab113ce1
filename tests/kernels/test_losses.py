"""Cross-entropy beside float64 and beside torch's own; a linear layer's without its logits."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from tests.kernels.accuracy import FORWARD, GRADIENT, assert_exact
from torchstone import kernels
from torchstone.kernels import losses

pytestmark = pytest.mark.torch

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
operators = torch.ops.torchstone


def targets(rows: int, classes: int) -> Tensor:
    chosen = torch.randint(classes, (rows,))
    chosen[::3] = -100
    chosen[0] = classes - 1
    return chosen


def results(function: Callable[..., Tensor], leaves: list[Tensor]) -> list[Tensor]:
    given = [each.detach().clone().requires_grad_() for each in leaves]
    out = function(*given)
    grad = torch.linspace(0.5, 2.0, max(1, out.numel()), dtype=out.dtype)[: out.numel()]
    return [out.detach(), *torch.autograd.grad(out, given, grad.view(out.shape))]


@pytest.mark.gate("*-dtype0", "*-dtype3")
@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(("rows", "classes"), [(7, 1000), (33, 33), (5, 1), (1, 20_001)])
def test_it_is_as_exact_as_torch_or_more(
    rows: int, classes: int, smoothing: float, dtype: torch.dtype
) -> None:
    torch.manual_seed(classes)
    logits, target = (torch.randn(rows, classes) * 3).to(dtype), targets(rows, classes)
    for reduction in ("none", "mean", "sum"):
        options: dict[str, Any] = {"reduction": reduction, "label_smoothing": smoothing}

        def ours(x: Tensor, options: dict[str, Any] = options) -> Tensor:
            return kernels.cross_entropy(x, target, **options)

        def theirs(x: Tensor, options: dict[str, Any] = options) -> Tensor:
            return F.cross_entropy(x, target, **options)

        got, peer = results(ours, [logits]), results(theirs, [logits])
        truth = results(theirs, [logits.double()])
        # Our loss is float32 also where torch rounds it to a half type.
        assert_exact(got[:1], [peer[0].to(got[0].dtype)], truth[:1], FORWARD, scale=16.0 * rows)
        assert_exact(got[1:], peer[1:], truth[1:], GRADIENT, scale=4.0)


def test_classes_stand_last_behind_any_dimensions() -> None:
    x, target = torch.randn(2, 3, 5), torch.randint(5, (2, 3))
    want = F.cross_entropy(x.movedim(-1, 1), target, reduction="none")
    torch.testing.assert_close(kernels.cross_entropy(x, target, reduction="none"), want)


def test_gradients_and_their_gradients() -> None:
    x = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    target = torch.tensor([0, 4, -100, 2])

    def function(x: Tensor) -> Tensor:
        return kernels.cross_entropy(x, target, reduction="none", label_smoothing=0.2)

    assert gradcheck(function, x)
    assert gradgradcheck(function, x)


@pytest.mark.full
def test_the_operators_keep_what_their_registration_promises() -> None:
    assert kernels.load()
    x, w = torch.randn(4, 5, requires_grad=True), torch.randn(7, 5, requires_grad=True)
    target = torch.tensor([0, 4, -100, 2])
    torch.library.opcheck(operators.cross_entropy.default, (x, target, -100, 0.1))
    grad = torch.randn(4, requires_grad=True)
    statistics = losses.reference(x.detach(), target, -100, 0.1)[1]
    torch.library.opcheck(
        operators.cross_entropy_backward.default, (grad, x, target, statistics, -100, 0.1)
    )
    torch.library.opcheck(operators.linear_cross_entropy.default, (x, w, target, -100, 0.1, True))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("chunk", [1, 60, 1 << 24])
def test_a_linear_layer_s_loss_is_that_of_its_logits(
    chunk: int, reduction: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(losses, "CHUNK", chunk)
    x, w = torch.randn(2, 9, 16).to(dtype), (torch.randn(20, 16) / 4).to(dtype)
    target = targets(18, 20).view(2, 9)

    def ours(x: Tensor, w: Tensor) -> Tensor:
        return kernels.linear_cross_entropy(x, w, target, reduction=reduction)

    def theirs(x: Tensor, w: Tensor) -> Tensor:
        logits = (x @ w.t()).flatten(0, 1)
        return F.cross_entropy(logits, target.flatten(), reduction=reduction)

    got, peer = results(ours, [x, w]), results(theirs, [x, w])
    truth = results(theirs, [x.double(), w.double()])
    # Logits of a half type are rounded before the loss is computed, as torch's are.
    scale = 64.0 if dtype in (torch.float32, torch.float64) else 4096.0
    assert_exact(got[:1], [peer[0].to(got[0].dtype)], truth[:1], FORWARD, scale=scale)
    assert_exact(got[1:], peer[1:], truth[1:], GRADIENT, scale=scale)


SHIFTS = [1e2, 1e4, 1e6, 1e8, 1e20, 1e38]


@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_shift_of_all_scores_costs_no_digits(shift: float, smoothing: float) -> None:
    target = torch.tensor([3, 1])
    for sign in (1, -1):
        x = torch.tensor([[1.0, 2, 3, 4], [0.5, 0.25, -7, 8]]) + sign * shift
        want = results(
            lambda x: F.cross_entropy(x, target, label_smoothing=smoothing), [x.double()]
        )
        for ours in (kernels.cross_entropy, _by_reference):
            got = results(lambda x, f=ours: f(x, target, label_smoothing=smoothing), [x])
            for mine, truth in zip(got, want, strict=True):
                torch.testing.assert_close(mine.double(), truth, rtol=1e-5, atol=1e-6)


def _by_reference(x: Tensor, target: Tensor, label_smoothing: float) -> Tensor:
    """Compute in plain torch, as where there is no compiler; its gradients are torch's."""
    return losses.reference(x, target, -100, label_smoothing)[0].mean()


def test_a_linear_layer_s_loss_survives_scores_with_an_offset() -> None:
    x = torch.tensor([[1.0, 2, 3, 4, 1e8]])
    loss = kernels.linear_cross_entropy(x, torch.cat((torch.eye(4), torch.ones(4, 1)), 1), TARGET)
    assert loss.item() == pytest.approx(1.3863, abs=1e-4)


TARGET = torch.tensor([3])


@pytest.mark.usefixtures("each_set")
def test_a_masked_score_counts_for_nothing() -> None:
    x, target = torch.tensor([[1.0, -torch.inf, 2.0]]), torch.tensor([0])
    for ours in (kernels.cross_entropy, _by_reference):
        got = results(lambda x, f=ours: f(x, target, label_smoothing=0.0), [x])
        want = results(lambda x: F.cross_entropy(x, target), [x])
        torch.testing.assert_close(got, want)


def test_a_mean_of_no_rows_is_not_a_number() -> None:
    x, w, target = torch.zeros(0, 3), torch.zeros(4, 3), torch.zeros(0, dtype=torch.int64)
    assert kernels.linear_cross_entropy(x, w, target).isnan()
    assert kernels.cross_entropy(x @ w.t(), target).isnan()
    assert kernels.linear_cross_entropy(x, w, target, reduction="sum") == 0


def test_no_chunk_of_logits_outlives_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "CHUNK", 1 << 16)
    most: list[int] = []
    matmul = torch.Tensor.__matmul__

    def look(a: Tensor, b: Tensor) -> Tensor:
        out: Tensor = matmul(a, b)
        most.append(out.numel())
        return out

    monkeypatch.setattr(torch.Tensor, "__matmul__", look)
    x, w = torch.randn(4096, 8), torch.randn(512, 8)
    losses.reference_linear(x, w, torch.randint(512, (4096,)), -100, 0.0, True)
    assert max(most) == 1 << 16


@pytest.mark.full
def test_they_compile_whole_forward_and_backward() -> None:
    target = torch.randint(20, (6,))

    def function(x: Tensor, w: Tensor) -> Tensor:
        loss = kernels.linear_cross_entropy(x, w, target)
        return loss + kernels.cross_entropy(x @ w.t(), target)

    tensors = [torch.randn(6, 8), torch.randn(20, 8)]
    compiled = results(torch.compile(function, fullgraph=True), tensors)
    torch.testing.assert_close(compiled, results(function, tensors))


def test_bad_arguments_are_named() -> None:
    x, target = torch.randn(2, 3), torch.tensor([0, 1])
    for function in (kernels.cross_entropy, F.cross_entropy):
        with pytest.raises(IndexError, match=r"^Target 3 is out of bounds\.$"):
            function(x, torch.tensor([0, 3]))
    with pytest.raises(IndexError, match=r"^Target -1 is out of bounds\.$"):
        kernels.linear_cross_entropy(x, torch.randn(4, 3), torch.tensor([-1, 0]))
    with pytest.raises(RuntimeError, match="Target 3 is out of bounds"):
        operators.cross_entropy(x, torch.tensor([0, 3]), -100, 0.0)
    with pytest.raises(ValueError, match=r"target has shape \(3,\); expected \(2,\)"):
        kernels.cross_entropy(x, torch.tensor([0, 1, 2]))
    with pytest.raises(TypeError, match=r"target is torch\.float32; expected a Tensor of torch"):
        kernels.cross_entropy(x, target.float())
    with pytest.raises(ValueError, match="reduction is 'all'; expected mean, sum, none"):
        kernels.cross_entropy(x, target, reduction="all")
    with pytest.raises(ValueError, match=r"label_smoothing is 1\.5; expected 0 to 1"):
        kernels.cross_entropy(x, target, label_smoothing=1.5)
    with pytest.raises(ValueError, match=r"weight has shape \(4, 2\); expected \(4, 3\)"):
        kernels.linear_cross_entropy(x, torch.randn(4, 2), target)
    with pytest.raises(ValueError, match="reduction is 'none'; expected mean or sum"):
        kernels.linear_cross_entropy(x, x, target, reduction="none")
