"""Run the operators of kernels.cuda on the simulator, with tensors of the host."""

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.kernels.accuracy import assert_exact
from torchstone import cudasim
from torchstone.kernels import cuda
from torchstone.kernels.cuda import launch
from torchstone.kernels.cuda.build import SOURCES, declare

Operator = Callable[..., Any]


def module_of(name: str, *, check: bool) -> Any:
    """Return the module of an operator, which is that of its gradient, too."""
    return _compiled(name.removesuffix("_backward"), check)


@functools.cache
def _compiled(name: str, check: bool) -> Any:
    return cudasim.compile(SOURCES / f"{name}.cu", check=check)


class Card:
    """Stand in for the compiled library, and for the memory of a card while a call lasts."""

    def __init__(self, check: bool) -> None:
        self._check = check
        self._held: dict[int, tuple[Tensor, cudasim.DeviceArray]] = {}

    def __getattr__(self, name: str) -> Operator:
        module = module_of(name.removeprefix("torchstone_"), check=self._check)
        functions = declare(SimpleNamespace(**{name: module.function(name)}))

        def run(*arguments: Any) -> int:
            error = int(getattr(functions, name)(*arguments))
            for host, array in self._held.values():
                array.copy_to_host(host.numpy())
            self._held.clear()
            assert module.findings() == (), module.report()
            return error

        return run

    def address_of(self, tensor: Tensor) -> int:
        """Copy to the card, until the call is over, all that shares memory with a tensor."""
        storage = tensor.untyped_storage()
        if not storage.nbytes():
            return 0
        first = storage.data_ptr()
        if first not in self._held:
            host = torch.empty(0, dtype=torch.uint8).set_(storage)
            self._held[first] = host, cudasim.to_device(host.numpy(), check=self._check)
        return self._held[first][1].address + tensor.data_ptr() - first


def operators_on_card(
    patch: pytest.MonkeyPatch, *, check: bool = False, num_multiprocessors: int = 2
) -> dict[str, Operator]:
    """Return the operators, which run on the simulator while the patch lasts.

    Args:
        patch: Puts the simulator in the place of the compiled library.
        check: Whether the detectors look on; any call fails in which they find something.
        num_multiprocessors: How large the card seems to be.
    """
    card = Card(check)
    for module in (cuda, launch):
        patch.setattr(module, "library", lambda: card)
    patch.setattr(launch, "address_of", card.address_of)
    patch.setattr(launch, "stream", lambda: None)
    patch.setattr(launch, "num_multiprocessors", lambda _: num_multiprocessors)
    return {name: _with_filled_memory(each) for name, each in cuda.operators().items()}


def _with_filled_memory(operator: Operator) -> Operator:
    """Let what nobody has written be NaN, which no result may be."""

    def run(*arguments: Any) -> Any:
        torch.use_deterministic_algorithms(True)
        try:
            return operator(*arguments)
        finally:
            torch.use_deterministic_algorithms(False)

    return run


def assert_as_exact(
    operator: Operator, reference: Operator, arguments: tuple[Any, ...], factor: float, scale: float
) -> None:
    """Refuse an operator that is less exact than its reference implementation in plain torch."""
    truths = reference(*(_doubled(each) for each in arguments))
    results, peers = operator(*arguments), reference(*arguments)
    if isinstance(peers, Tensor):
        results, peers, truths = [results], [peers], [truths]
    assert_exact(results, peers, truths, factor, scale=scale)


def _doubled(argument: Any) -> Any:
    is_number = isinstance(argument, Tensor) and argument.is_floating_point()
    return argument.double() if is_number else argument
