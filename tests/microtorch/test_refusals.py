"""Mistakes are refused in PyTorch's words."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def leaf(lib: Any) -> Any:
    return lib.tensor([1.0, 2.0], requires_grad=True)


def changed_result(lib: Any) -> Any:
    y = leaf(lib).exp()
    y.add_(1)
    y.sum().backward()


def changed_input(lib: Any) -> Any:
    y = leaf(lib) * 2
    z = y * y
    y += 1
    z.sum().backward()


def changed_slice(lib: Any) -> Any:
    y = leaf(lib) * 1
    z = y * y
    y[0].add_(1)
    z.sum().backward()


def written_view(lib: Any) -> Any:
    with lib.no_grad():
        view = leaf(lib).view(2)
    view.add_(1)


def written_row(lib: Any) -> Any:
    first, _ = (leaf(lib) * 2).unbind()
    first.add_(1)


def written_inference(lib: Any) -> Any:
    with lib.inference_mode():
        x = lib.ones(2)
    x.add_(1)


def saved_inference(lib: Any) -> Any:
    with lib.inference_mode():
        x = lib.ones(2)
    return x * leaf(lib)


def wrong_function(returned: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def program(lib: Any) -> Any:
        class Wrong(lib.autograd.Function):  # type: ignore[misc, name-defined]
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x * 2

            @staticmethod
            def backward(ctx: Any, grad: Any) -> Any:
                return returned(lib)

        Wrong.apply(leaf(lib)).sum().backward()

    return program


def hooked(hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def program(lib: Any) -> Any:
        x = leaf(lib)

        def named(grad: Any) -> Any:
            return hook(lib)

        x.register_hook(named)
        (x * 2).sum().backward()

    return program


def assigned(name: str, make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda lib: setattr(leaf(lib), name, make(lib))


def written(index: Any, make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda lib: lib.zeros(2, 3).__setitem__(index, make(lib))


AUTOGRAD = {
    "a changed result": changed_result,
    "a changed input": changed_input,
    "a changed slice": changed_slice,
    "a view of no_grad": written_view,
    "one of several views": written_row,
    "inference written": written_inference,
    "inference saved": saved_inference,
    "inference's version": lambda lib: lib.inference_mode()(lambda: lib.ones(1))()._version,
    "wrong shape": wrong_function(lambda lib: lib.ones(5)),
    "wrong kind": wrong_function(lambda lib: 1.0),
    "hook's kind": hooked(lambda lib: 1),
    "hook's shape": hooked(lambda lib: lib.ones(3)),
    "grad's shape": assigned("grad", lambda lib: lib.ones(3)),
    "data's kind": assigned("data", lambda lib: 3),
    "data's dtype": assigned("data", lambda lib: lib.ones(2, dtype=lib.int64)),
    "requires_grad": assigned("requires_grad", lambda lib: 1),
    "no inputs": lambda lib: lib.autograd.grad(leaf(lib).sum(), []),
    "none to fill": lambda lib: lib.autograd.backward(leaf(lib).sum(), inputs=[]),
    "unused": lambda lib: lib.autograd.grad(leaf(lib).sum(), leaf(lib)),
    "unused zeros": lambda lib: lib.autograd.grad(
        leaf(lib).sum(), leaf(lib), allow_unused=False, materialize_grads=True
    ),
    "a list of numbers": lambda lib: (leaf(lib) * 2).backward([1.0, 1.0]),
    "retain": lambda lib: lib.ones(1).retain_grad(),
}
OPERATIONS = {
    "in place": lambda lib: lib.tensor([1, 2]).add_(1.5),
    "two booleans": lambda lib: lib.tensor([True]) - lib.tensor([True]),
    "a mean": lambda lib: lib.tensor([1, 2]).mean(),
    "a condition": lambda lib: lib.where(lib.tensor([1]), 1, 2),
    "isclose": lambda lib: lib.isclose(lib.ones(1), lib.ones(1).double()),
    "in": lambda lib: "a" in lib.ones(1),
    "del": lambda lib: lib.ones(1).__delitem__(0),
    "float": lambda lib: float(lib.ones(2)),
    "int": lambda lib: int(lib.ones(2)),
    "format": lambda lib: f"{lib.ones(1):.2f}",
    "matrix types": lambda lib: lib.ones(2, 2) @ lib.ones(2, 2).double(),
    "vector types": lambda lib: lib.ones(2, 2) @ lib.ones(2).double(),
    "batch types": lambda lib: lib.ones(2, 2, 2) @ lib.ones(2, 2, 2).double(),
    "dot types": lambda lib: lib.ones(2) @ lib.ones(2).double(),
    "matrix times vector": lambda lib: lib.ones(2, 3) @ lib.ones(2),
    "batch times vector": lambda lib: lib.ones(2, 2, 3) @ lib.ones(2),
    "mm": lambda lib: lib.mm(lib.ones(2), lib.ones(2, 2)),
    "bmm": lambda lib: lib.bmm(lib.ones(2, 3), lib.ones(2, 3, 4)),
    "mv": lambda lib: lib.mv(lib.ones(2, 2), lib.ones(2, 2)),
    "linear": lambda lib: lib.nn.functional.linear(lib.ones(2, 3), lib.ones(4, 2)),
    "cat": lambda lib: lib.cat([lib.ones(2, 3), lib.ones(2, 2)]),
    "split": lambda lib: lib.ones(2).split(0),
    "expand": lambda lib: lib.ones(2, 3).expand(3),
    "masked_fill": lambda lib: lib.ones(5).masked_fill(lib.tensor([True, False]), 1.0),
    "index_select": lambda lib: lib.ones(5).index_select(0, lib.tensor([9])),
    "gather": lambda lib: lib.ones(2, 3).gather(1, lib.tensor([0])),
    "embedding": lambda lib: lib.nn.functional.embedding(lib.ones(1), lib.ones(3, 2)),
    "a target": lambda lib: lib.nn.functional.cross_entropy(lib.ones(2, 3), lib.ones(2)),
    "an index of a number": lambda lib: lib.tensor(1)[0],
    "indices": lambda lib: lib.ones(2, 3)[[0, 1], [0, 1, 2]],
    "a mask": lambda lib: lib.ones(2, 3)[:, lib.tensor([True, False])],
    "written types": written([0, 1], lambda lib: lib.ones(2, 3).double()),
    "written complex": written(0, lambda lib: 1j),
    "written shape": written(0, lambda lib: lib.ones(2, 3)),
    "a byte": lambda lib: lib.zeros(1, dtype=lib.uint8).fill_(300),
}
CREATION = {
    "ragged": lambda lib: lib.tensor([[1], [2, 3]]),
    "uneven": lambda lib: lib.tensor([[1, 2], 3]),
    "deep": lambda lib: lib.tensor([[[1]], [[1, 2]]]),
    "text": lambda lib: lib.tensor(["a"]),
    "nothing": lambda lib: lib.tensor([None]),
    "too large": lambda lib: lib.tensor([2**63]),
    "a byte": lambda lib: lib.tensor(300, dtype=lib.uint8),
    "complex": lambda lib: lib.tensor(1j, dtype=lib.float32),
    "requires_grad": lambda lib: lib.tensor([1.0], requires_grad=1),
    "dtype": lambda lib: lib.tensor([1.0], dtype="float32"),
    "one float": lambda lib: lib.Tensor(1.5),
    "default": lambda lib: lib.set_default_dtype(lib.int64),
    "finfo": lambda lib: lib.finfo(lib.int32),
    "iinfo": lambda lib: lib.iinfo(lib.float32),
    "a device": lambda lib: lib.device("foo"),
    "a device's number": lambda lib: lib.device("cpu:x"),
    "cuda": lambda lib: lib.ones(1, device="cuda"),
    "to cuda": lambda lib: lib.ones(1).to(lib.device("cuda")),
}


def mixed(layer: str, *sizes: Any, of: int = 3, **options: Any) -> Callable[[Any], Any]:
    """Pass float64 to a layer whose parameters are float32."""
    return lambda lib: getattr(lib.nn, layer)(*sizes, **options)(lib.ones(4, of).double())


def loss_of(name: str, target: str) -> Callable[[Any], Any]:
    return lambda lib: getattr(lib.nn.functional, name)(
        lib.full((2, 2), 0.5), lib.ones((2, 2) if name[0] == "b" else 2, dtype=getattr(lib, target))
    )


def alignment(lengths: tuple[int, int], *targets: Any) -> Callable[[Any], Any]:
    return lambda lib: lib.nn.functional.ctc_loss(
        lib.zeros(5, 2, 4), lib.tensor(targets), lib.tensor([5, 5]), lib.tensor(lengths)
    )


TYPES = {
    "LayerNorm": mixed("LayerNorm", 3),
    "BatchNorm1d": mixed("BatchNorm1d", 3),
    "GroupNorm": mixed("GroupNorm", 1, 3),
    "Linear": mixed("Linear", 3, 2),
    "Linear without bias": mixed("Linear", 3, 2, bias=False),
    "Conv1d": mixed("Conv1d", 4, 1, 1),
    "Conv1d without bias": mixed("Conv1d", 4, 1, 1, bias=False),
    "PReLU": mixed("PReLU"),
    "Bilinear": lambda lib: lib.nn.Bilinear(3, 3, 2)(lib.ones(1, 3), lib.ones(1, 3).double()),
    "parameters of float64": lambda lib: lib.nn.LayerNorm(3).double()(lib.ones(1, 3)),
    "probabilities": loss_of("binary_cross_entropy", "float64"),
    "labels as probabilities": loss_of("binary_cross_entropy", "int64"),
    "labels as scores": loss_of("binary_cross_entropy_with_logits", "int64"),
    "labels of 32 bits": loss_of("cross_entropy", "int32"),
    "labels of float": loss_of("nll_loss", "float32"),
    "texts that are too short": alignment((2, 3), [1, 2], [1, 3]),
    "too few texts": alignment((2, 3), 1, 2, 1),
}
PROGRAMS = {**AUTOGRAD, **OPERATIONS, **{f"making {name}": each for name, each in CREATION.items()}}
PROGRAMS |= {f"types: {name}": each for name, each in TYPES.items()}


def refusal(lib: Any, program: Callable[[Any], Any]) -> tuple[str, str]:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - any
        program(lib)
    words = str(caught.value).replace("torchstone.microtorch.tensor.", "")
    return type(caught.value).__name__, words.replace("torch.Tensor", "Tensor")


# A build of torch for CUDA looks for a driver, and finds one or says so.
FOR_CUDA = {"making cuda", "making to cuda"} if torch.version.cuda is not None else set()


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in FOR_CUDA])
def test_a_mistake_is_refused_in_the_words_of_pytorch(name: str) -> None:
    assert refusal(micro, PROGRAMS[name]) == refusal(torch, PROGRAMS[name])


@pytest.mark.parametrize("name", ["making cuda", "making to cuda"])
def test_another_device_is_refused_whatever_torch_was_built_for(name: str) -> None:
    assert refusal(micro, PROGRAMS[name]) == (
        "AssertionError",
        "Torch not compiled with CUDA enabled",
    )
