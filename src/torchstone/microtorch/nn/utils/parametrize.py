"""Parametrized tensors: register_parametrization, remove_parametrizations, cached.

The module gets a class of its own, such as ``ParametrizedLinear``, in which ``weight`` is a
property that applies the parametrizations to the stored tensors.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from types import new_class
from typing import Any, ClassVar

from torchstone.microtorch.grad_mode import no_grad
from torchstone.microtorch.nn.modules.containers import ModuleDict, ModuleList
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.nn.parameter import Parameter
from torchstone.microtorch.tensor import Tensor


class _Cache:
    """Cache of computed tensors inside ``cached`` blocks."""

    depth = 0
    values: ClassVar[dict[tuple[int, str], Tensor]] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor only once within a block. A context manager."""
    _Cache.depth += 1
    try:
        yield
    finally:
        _Cache.depth -= 1
        if not _Cache.depth:
            _Cache.values = {}


class ParametrizationList(ModuleList):
    """Parametrizations of a tensor, with its stored originals.

    Attributes:
        original: The stored tensor; ``original0``, ``original1``, ... if there are several.
        is_tensor: Whether there is a single stored tensor.
        unsafe: Whether shape and dtype may change.
    """

    def __init__(self, modules: list[Module], original: Tensor, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        with no_grad():
            stored = self._stored_for(original)
        self.is_tensor = isinstance(stored, Tensor)
        if self.is_tensor:
            if stored is not original:
                original.data = stored
            self._keep("original", original)
        else:
            self.ntensors = len(stored)
            for number, each in enumerate(stored):
                is_learned = isinstance(original, Parameter)
                self._keep(f"original{number}", Parameter(each) if is_learned else each)
        if not unsafe:
            _check_kept(original, self(), "unless", "unparametrized {}", "parametrized {}")

    def _keep(self, name: str, value: Tensor) -> None:
        if isinstance(value, Parameter):
            self.register_parameter(name, value)
        else:
            self.register_buffer(name, value)

    def _stored_for(self, value: Any, must: bool = False) -> Any:
        """Apply ``right_inverse`` of the parametrizations, last to first, where defined."""
        for module in list(self)[::-1]:
            if not hasattr(module, "right_inverse"):
                if must:
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                continue
            try:
                value = module.right_inverse(value)
            except NotImplementedError:
                if must:
                    raise
        return value

    @property
    def _originals(self) -> list[Tensor]:
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{number}") for number in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Store the tensors whose parametrization is the given value."""
        with no_grad():
            stored = self._stored_for(value, must=True)
            for own, each in zip(
                self._originals, [stored] if self.is_tensor else stored, strict=True
            ):
                if not isinstance(each, Tensor):
                    raise ValueError(
                        f"`right_inverse` should return a tensor. Got {type(each).__name__}"
                    )
                if own.dtype != each.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {each.dtype} while "
                        f"`original` has dtype {own.dtype}"
                    )
                own.data = each

    def forward(self) -> Tensor:
        """Compute the parametrized tensor."""
        first, *rest = self
        result: Tensor = first(*self._originals)
        for module in rest:
            result = module(result)
        return result


def _parametrized_class(module: Module) -> None:
    """Give a module a class of its own, so that it can have properties."""
    cls: Any = type(module)

    def getstate(self: Module) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
        made = memo[id(self)] = object.__new__(type(self))
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return made

    body = {"__getstate__": getstate, "__deepcopy__": deepcopy, "__module__": __name__}
    name = f"Parametrized{cls.__name__}"
    made: Any = new_class(name, (cls,), exec_body=lambda space: space.update(body))
    module.__class__ = made
    module.parametrizations = ModuleDict()


def _property(name: str) -> property:
    def compute(self: Any) -> Tensor:
        own = self.parametrizations[name]
        if not _Cache.depth:
            return own()
        key = (id(self), name)
        if key not in _Cache.values:
            _Cache.values[key] = own()
        return _Cache.values[key]

    def put(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(compute, put)


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Register a module that computes a tensor of another module.

    Args:
        module: The module that has the tensor.
        tensor_name: The name of a parameter or buffer.
        parametrization: Computes the tensor from the stored ones; its ``right_inverse``, if any,
            returns what to store for a value, which may be several tensors.
        unsafe: Allow the parametrization to change shape and dtype.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        own: Any = module.parametrizations[tensor_name]
        if not unsafe:
            before, own_name = getattr(module, tensor_name), f"module.{tensor_name}"
            names = f"{own_name}.{{}}", f"parametrization({own_name}).{{}}"
            _check_kept(before, parametrization(before), "unless the", *names)
        own.append(parametrization)
        own.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        own = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _parametrized_class(module)
        setattr(type(module), tensor_name, _property(tensor_name))
        module.parametrizations[tensor_name] = own
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    return module


def _check_kept(before: Tensor, after: Any, unless: str, *names: str) -> None:
    """Raise an error if the dtype or the shape of a tensor changed."""
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        values = getattr(before, what), getattr(after, what)
        if values[0] != values[1]:
            shown = [f"{n.format(what)}: {v}" for n, v in zip(names, values, strict=True)]
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, {unless} "
                "`unsafe` flag is enabled.\n" + "\n".join(shown)
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return whether a given tensor, or any tensor, of a module is parametrized."""
    known = module._modules.get("parametrizations")
    if not isinstance(known, ModuleDict):
        return False
    return len(known) > 0 if tensor_name is None else tensor_name in known


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Remove the parametrizations of a tensor, keeping its current or its original value."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    own = module.parametrizations[tensor_name]
    if not own.is_tensor and not leave_parametrized:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    kept: Any = own._originals[0]
    if leave_parametrized:
        with no_grad():
            value = getattr(module, tensor_name)
        if own.is_tensor:
            kept.data = value
        else:
            kept = Parameter(value) if isinstance(kept, Parameter) else value
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type_before_parametrizations(module)
    if isinstance(kept, Parameter):
        module.register_parameter(tensor_name, kept)
    else:
        module.register_buffer(tensor_name, kept)
    return module


def type_before_parametrizations(module: Module) -> Any:
    """Return the class of a module before it was parametrized."""
    cls = type(module)
    return cls.__bases__[0] if "__deepcopy__" in vars(cls) and cls.__module__ == __name__ else cls
