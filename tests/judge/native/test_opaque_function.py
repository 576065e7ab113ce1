"""An opaque function computes what it was described as, and shows nothing of it."""

import gc
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone.judge.child.bans import native_library
from torchstone.judge.child.protocol.encryption import encrypt, new_key
from torchstone.judge.kit import OpaqueFunction
from torchstone.judge.native import build

pytestmark = [pytest.mark.torch, pytest.mark.attack]

KEY = new_key()
N, M = 5, 4


@pytest.fixture(scope="module")
def native() -> Any:
    """Return the library in a process that has its key."""
    library = native_library.load(str(build.library()))
    reader, writer = os.pipe()
    try:
        os.write(writer, KEY)
        assert library.take_key(reader)
    finally:
        os.close(reader)
        os.close(writer)
    return library


@pytest.fixture
def described() -> OpaqueFunction:
    """Return a right function of two inputs (2 and 3 elements) and two outputs (1 and 3)."""
    weights = [torch.randn(M, N, dtype=torch.float64) for _ in range(3)]
    return OpaqueFunction(
        bias=torch.randn(M, dtype=torch.float64),
        weights=weights,
        claims=[weight.clone() for weight in weights],
        bends=[0, 1, 0, 0, 0],
        shift=torch.zeros(N, dtype=torch.float64),
        noise=torch.zeros(M, dtype=torch.float64),
        stretch=1.0,
        given=[True, True],
        shapes=[[], [3, 1]],
        attached=[True, True],
        listed=False,
        seed=7,
    )


@pytest.fixture
def make(native: Any) -> Callable[[OpaqueFunction], Any]:
    return lambda described: native.opaque_function(encrypt(KEY, described.encrypted().plain), True)


def inputs_of() -> list[torch.Tensor]:
    return [torch.randn(size, dtype=torch.float64, requires_grad=True) for size in ((2,), (3, 1))]


def model(described: OpaqueFunction, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """Compute the value with operators of torch."""
    z = torch.cat([x.reshape(-1) for x in inputs])
    linear, square, cube = described.weights
    y = described.bias + linear @ z + square @ z**2 + cube @ z**3
    return [y[0], y[1:].reshape(3, 1)]


def vjp(outputs: Any, inputs: list[torch.Tensor], cotangents: list[Any]) -> list[Any]:
    return list(
        torch.autograd.grad(outputs, inputs, cotangents, retain_graph=True, allow_unused=True)
    )


def test_values_and_gradients_are_those_of_the_model(make: Any, described: OpaqueFunction) -> None:
    inputs = inputs_of()
    outputs, wanted = make(described)(*inputs), model(described, inputs)
    assert type(outputs) is tuple
    cotangents = [torch.randn_like(y) for y in wanted]
    torch.testing.assert_close(list(outputs), wanted)
    torch.testing.assert_close(vjp(outputs, inputs, cotangents), vjp(wanted, inputs, cotangents))
    torch.testing.assert_close(
        vjp(outputs[1], inputs, cotangents[1:]), vjp(wanted[1], inputs, cotangents[1:])
    )


def test_the_gradient_is_what_is_claimed(make: Any, described: OpaqueFunction) -> None:
    claims = [2 * claim for claim in described.claims]
    shift = torch.arange(N, dtype=torch.float64)
    inputs = inputs_of()
    g = [torch.randn_like(y) for y in model(described, inputs)]
    right = vjp(make(described)(*inputs), inputs, g)
    doubled = vjp(make(replace(described, claims=claims, shift=shift))(*inputs), inputs, g)
    for position, (a, b) in enumerate(zip(right, doubled, strict=True)):
        torch.testing.assert_close(
            b.flatten(), 2 * a.flatten() + shift[2 * position :][: a.numel()]
        )
    bends = [0.5, 0, 2, 0.25, -1]
    bent = [0.5 + 2 * c.abs() + 0.25 * c * c - c * c * c for c in g]
    found = vjp(make(replace(described, bends=bends))(*inputs), inputs, g)
    torch.testing.assert_close(found, vjp(model(described, inputs), inputs, bent))


def test_outputs_and_gradients_are_missing_where_that_is_described(
    make: Any, described: OpaqueFunction
) -> None:
    inputs = inputs_of()
    found = make(replace(described, attached=[True, False], listed=True))(*inputs)
    assert type(found) is list
    assert [y.requires_grad for y in found] == [True, False]
    outputs = make(replace(described, given=[False, True]))(*inputs)
    first, second = vjp(outputs, inputs, [torch.ones_like(y) for y in outputs])
    assert first is None
    assert second.abs().min() > 0


def test_noise_is_drawn_for_each_product(make: Any, described: OpaqueFunction) -> None:
    noise = torch.tensor([0, 0, 0, 1e-3], dtype=torch.float64)
    inputs = inputs_of()
    outputs = make(replace(described, noise=noise))(*inputs)
    quiet = [torch.ones(()).double(), torch.zeros(3, 1).double()]
    loud = [torch.zeros(()).double(), torch.ones(3, 1).double()]
    assert torch.equal(*(vjp(outputs, inputs, quiet)[0] for _ in range(2)))
    shaken = torch.stack([vjp(outputs, inputs, loud)[0] for _ in range(50)])
    truth = vjp(make(described)(*inputs), inputs, loud)[0]
    assert 5e-4 < float((shaken - truth).abs().max()) <= 1e-3
    assert len({tuple(each.tolist()) for each in shaken}) == 50


def test_only_strided_inputs_are_stretched(make: Any, described: OpaqueFunction) -> None:
    function = make(replace(described, stretch=1.5))
    dense = inputs_of()
    wide = torch.randn(2, 2, dtype=torch.float64)[:, 0].copy_(dense[0].detach()).requires_grad_()
    # The same values with a step.
    strided = torch.stack([dense[0].detach()] * 2, 1)[:, 0].requires_grad_()
    g = [torch.ones(()).double(), torch.ones(3, 1).double()]
    plain = vjp(function(*dense), dense, g)[0]
    for x in (strided, wide):
        assert not x.is_contiguous()
        found = vjp(function(x, dense[1]), [x], g)[0]
        torch.testing.assert_close(found, 1.5 * plain)


def test_autograd_treats_it_as_any_function(make: Any, described: OpaqueFunction) -> None:
    function, inputs = make(described), inputs_of()
    with torch.no_grad():
        assert not any(y.requires_grad for y in function(*inputs))
    with torch.inference_mode():
        assert not any(y.requires_grad for y in function(*inputs))
    first, _ = function(*inputs)
    first.backward()
    with pytest.raises(RuntimeError, match="second time"):
        first.backward()
    first, _ = function(*inputs)
    with torch.no_grad():
        inputs[0].add_(1)
    with pytest.raises(RuntimeError, match="inplace"):
        first.backward()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), "takes 2 tensors"),
        ((1.0, 2.0), "takes tensors, not a float"),
        ((torch.zeros(2), torch.zeros(3)), "float64"),
        ((torch.zeros(9).double(), torch.zeros(3).double()), "takes 5 elements, not 12"),
        ((torch.zeros(2, device="meta").double(), torch.zeros(3).double()), "on the CPU"),
    ],
)
def test_other_arguments_raise(
    make: Any, described: OpaqueFunction, arguments: tuple[Any, ...], error: str
) -> None:
    with pytest.raises((RuntimeError, TypeError), match=error):
        make(described)(*arguments)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_transforms_raise(make: Any, described: OpaqueFunction) -> None:
    function, inputs = make(described), [x.detach() for x in inputs_of()]
    with pytest.raises(RuntimeError, match="float64"):
        torch.func.vjp(function, *inputs)
    with forward_ad.dual_level(), pytest.raises(RuntimeError, match="forward-mode"):
        function(forward_ad.make_dual(inputs[0], inputs[0]), inputs[1])
    live = inputs_of()
    outputs = function(*live)
    many = [torch.ones(3, *y.shape, dtype=torch.float64) for y in outputs]
    with pytest.raises(RuntimeError, match="float64"):
        torch.autograd.grad(outputs, live, many, is_grads_batched=True)


def test_nothing_that_python_reaches_holds_a_coefficient(
    make: Any, described: OpaqueFunction
) -> None:
    function, inputs = make(described), inputs_of()
    outputs = function(*inputs)
    assert repr(function).startswith("<torchstone_bans.OpaqueFunction object")
    assert {name for name in dir(function) if not name.startswith("__")} == set()
    assert gc.get_referents(function) in ([], [type(function)])
    node = outputs[0].grad_fn
    assert node.name() == "OpaqueFunctionBackward"
    assert not [name for name in dir(node) if name.startswith("_saved") or name == "saved_tensors"]
    assert [type(each).__name__ for each, _ in node.next_functions] == ["AccumulateGrad"] * 2
    with pytest.raises(TypeError):
        type(function)()
    with pytest.raises(TypeError):
        type(function).secret = 1


def test_no_operator_sees_a_coefficient(make: Any, described: OpaqueFunction) -> None:
    seen: list[torch.Tensor] = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.extend(item.clone() for item in args if isinstance(item, torch.Tensor))
            return func(*args, **(kwargs or {}))

    function, inputs = make(described), inputs_of()
    with Watch():
        outputs = function(*inputs)
        vjp(outputs, inputs, [torch.ones_like(y) for y in outputs])
    hidden = {
        number
        for tensor in (described.bias, *described.weights)
        for number in tensor.flatten().tolist()
    }
    assert len(seen) > 4
    assert not hidden & {number for tensor in seen for number in tensor.flatten().tolist()}


def test_a_changed_message_is_refused(native: Any, described: OpaqueFunction) -> None:
    message = bytearray(encrypt(KEY, described.encrypted().plain))
    for position in (0, 20, 40, len(message) - 1):
        changed = bytearray(message)
        changed[position] ^= 1
        with pytest.raises(RuntimeError, match="was changed"):
            native.opaque_function(changed, True)
    for short in (b"", bytes(31)):
        with pytest.raises(RuntimeError, match="too short"):
            native.opaque_function(short, True)
    with pytest.raises(RuntimeError, match="was changed"):
        native.opaque_function(encrypt(new_key(), described.encrypted().plain), True)


def test_a_process_takes_one_key(native: Any) -> None:
    with open(os.devnull, "rb") as nothing, pytest.raises(RuntimeError, match="has its key"):
        native.take_key(nothing.fileno())


def test_broken_descriptions_raise(native: Any, described: OpaqueFunction) -> None:
    plain = described.encrypted().plain
    for cut in (0, 1, 8, 100, len(plain) - 8):
        with pytest.raises(RuntimeError, match=r"missing|out of range|add up"):
            native.opaque_function(plain[:cut], False)
    with pytest.raises(RuntimeError, match="left over"):
        native.opaque_function(plain + bytes(8), False)
    generator = torch.Generator().manual_seed(1)
    for _ in range(2000):
        at = int(torch.randint(0, 160, (), generator=generator))
        value = int(torch.randint(0, 256, (), generator=generator))
        changed = plain[:at] + bytes([value]) + plain[at + 1 :]
        try:
            native.opaque_function(changed, False)
        except RuntimeError:
            continue
