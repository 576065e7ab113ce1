"""``Module``: the base class of all neural network modules."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

from torchstone.microtorch import dtypes
from torchstone.microtorch.grad_mode import no_grad
from torchstone.microtorch.nn.modules import hooked
from torchstone.microtorch.nn.modules.hooked import EVERYWHERE, Hooked, show_entered
from torchstone.microtorch.nn.modules.parts import Parts
from torchstone.microtorch.nn.modules.state import Stateful
from torchstone.microtorch.nn.modules.state import _IncompatibleKeys as _IncompatibleKeys
from torchstone.microtorch.nn.parameter import Buffer, Parameter, clear_gradients
from torchstone.microtorch.tensor import Tensor

KINDS = ("_parameters", "_buffers", "_modules")
TABLES = (
    *KINDS,
    "_state_dict_pre_hooks",
    "_forward_pre_hooks",
    "_forward_hooks",
    "_backward_pre_hooks",
    "_backward_hooks",
    "_state_dict_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


# Global hooks for all modules, under PyTorch's names.
register_module_forward_pre_hook = hooked.of_all("forward_pre")
register_module_forward_hook = hooked.of_all("forward")
register_module_full_backward_pre_hook = hooked.of_all("backward_pre")
register_module_full_backward_hook = hooked.of_all("backward")
register_module_parameter_registration_hook = hooked.of_all("parameter")
register_module_buffer_registration_hook = hooked.of_all("buffer")
register_module_module_registration_hook = hooked.of_all("module")


class Module(Hooked, Stateful, Parts):
    """Base class of all neural network modules.

    A value assigned to an attribute is registered by its type: a ``Parameter`` as a parameter, a
    module as a submodule. Calling a module calls ``forward`` and the hooks around it.

    Attributes:
        training: Whether the module is in training mode, which changes dropout and batch norm.
    """

    training: bool
    _modules: dict[str, Module | None]

    def __init__(self) -> None:
        put = object.__setattr__
        put(self, "training", True)
        for name in TABLES:
            put(self, name, {})
        put(self, "_non_persistent_buffers_set", set())

    # Calling.

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output. Implemented by subclasses."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call ``forward`` and the hooks around it."""
        if (
            self._forward_pre_hooks
            or self._forward_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or EVERYWHERE
        ):
            return self.call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    # Registration.

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register a parameter; None reserves the name."""
        self._check_name(name, "parameter")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                f"created explicitly. To express '{name}' as a function of another Tensor, compute "
                "the value in the forward() method."
            )
        self._parameters[name] = show_entered("parameter", self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register a buffer: a tensor that is not a parameter; if persistent, it is saved."""
        self._check_name(name, "buffer")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = show_entered("buffer", self, name, tensor)
        rest = self._non_persistent_buffers_set
        (rest.discard if persistent else rest.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Register a submodule."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name(name, "module")
        self._modules[name] = show_entered("module", self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Register a submodule."""
        self.add_module(name, module)

    def _check_name(self, name: str, kind: str) -> None:
        space = f"_{kind}s"
        if space not in self.__dict__ and kind != "module":
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in getattr(self, space):
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{got}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')

    def __setattr__(self, name: str, value: Any) -> None:
        spaces = self.__dict__
        for kind, cls in (("_parameters", Parameter), ("_modules", Module), ("_buffers", Buffer)):
            if isinstance(value, cls):
                self._forget(name, kind)
            elif kind not in spaces or name not in spaces[kind]:
                continue
            elif value is not None and not (kind == "_buffers" and isinstance(value, Tensor)):
                what, wanted = _ENTERED[kind]
                raise TypeError(
                    f"cannot assign '{typename(value)}' as {what} '{name}' ({wanted} or None "
                    "expected)"
                )
            self._enter(kind, name, value)
            return
        object.__setattr__(self, name, value)

    def _enter(self, kind: str, name: str, value: Any) -> None:
        if kind == "_parameters":
            self.register_parameter(name, value)
        elif kind == "_modules":
            self._modules[name] = show_entered("module", self, name, value)
        elif isinstance(value, Buffer):
            self.register_buffer(name, value, value.persistent)
        else:
            self.register_buffer(name, value, name not in self._non_persistent_buffers_set)

    def _forget(self, name: str, kind: str) -> None:
        """Remove a name from the other registries; in its own it keeps its position."""
        spaces = self.__dict__
        if kind not in spaces:
            what = {"_parameters": "parameters", "_modules": "module"}.get(kind, "buffer")
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        spaces.pop(name, None)
        for each in KINDS:
            if each != kind:
                spaces[each].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __getattr__(self, name: str) -> Any:
        spaces = self.__dict__
        for kind in KINDS:
            if kind in spaces and name in spaces[kind]:
                return spaces[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for space in (self._parameters, self._buffers, self._modules):
            if name in space:
                del space[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    # Operations on the whole module.

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call a function with every submodule, and with this module last."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace each tensor by the result of a function; parameters remain the same objects."""
        for module in self.children() if recurse else ():
            module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            with no_grad():
                parameter.data = fn(parameter)
                if parameter._grad is not None:
                    parameter._grad.data = fn(parameter._grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def train(self, mode: bool = True) -> Self:
        """Set training mode for the module and all submodules."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set evaluation mode for the module and all submodules."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set ``requires_grad`` of all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to zero."""
        clear_gradients(self.parameters(), set_to_none)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Cast floating-point parameters and buffers to a dtype."""
        given = (*args, *kwargs.values())
        kinds = [getattr(each, "dtype", each) for each in given]
        dtype = next((each for each in kinds if isinstance(each, dtypes.dtype)), None)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={dtype}"
            )
        if dtype is not None and dtype.is_complex:
            warnings.warn(_COMPLEX, stacklevel=2)

        def convert(tensor: Tensor) -> Tensor:
            moved: Tensor = tensor.to(*args, **kwargs)
            changes = dtype is None or tensor.is_floating_point() or tensor.is_complex()
            return moved if changes else tensor

        return self._apply(convert)

    def type(self, dst_type: Any) -> Self:
        """Cast all parameters and buffers to a type."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Replace parameters and buffers by uninitialized memory."""
        return self._apply(lambda tensor: tensor.new_empty(tensor.shape), recurse)

    def float(self) -> Self:
        """Cast floating-point parameters and buffers to float32."""
        return self._cast(dtypes.float32)

    def double(self) -> Self:
        """Cast floating-point parameters and buffers to float64."""
        return self._cast(dtypes.float64)

    def half(self) -> Self:
        """Cast floating-point parameters and buffers to float16."""
        return self._cast(dtypes.float16)

    def _cast(self, dtype: dtypes.dtype) -> Self:
        return self._apply(lambda each: each.to(dtype) if each.is_floating_point() else each)

    def cpu(self) -> Self:
        """Return the module unchanged; it is already on the CPU."""
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the module runs uncompiled."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # Representation.

    def extra_repr(self) -> str:
        """Return the arguments that ``repr`` shows; extended by subclasses."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        parts = [
            f"({name}): " + repr(module).replace("\n", "\n  ")
            for name, module in self._modules.items()
        ]
        if not parts and "\n" not in extra:
            return f"{self._get_name()}({extra})"
        lines = [*extra.split("\n"), *parts] if extra else parts
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


_ENTERED = {
    "_parameters": ("parameter", "torch.nn.Parameter"),
    "_modules": ("child module", "torch.nn.Module"),
    "_buffers": ("buffer", "torch.nn.Buffer, torch.Tensor"),
}
_COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some "
    "modules might not work as expected when using complex tensors as parameters or buffers."
)


def typename(value: Any) -> str:
    """Return the type name of a value as in PyTorch's errors."""
    if isinstance(value, Tensor):
        return str(value.type())
    kind = type(value)
    where = kind.__module__.replace("torchstone.microtorch", "torch")
    return kind.__qualname__ if where == "builtins" else f"{where}.{kind.__qualname__}"
