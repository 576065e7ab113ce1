"""The base of all modules: what it holds, how it is called, saved and loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

from torchstone.microtorch import dtypes
from torchstone.microtorch.nn.modules.hooked import Hooked
from torchstone.microtorch.nn.modules.state import Stateful
from torchstone.microtorch.nn.parameter import Buffer, Parameter
from torchstone.microtorch.tensor import Tensor

KINDS = ("_parameters", "_buffers", "_modules")
TABLES = (
    *KINDS,
    "_forward_pre_hooks",
    "_forward_hooks",
    "_backward_pre_hooks",
    "_backward_hooks",
    "_state_dict_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


class Module(Hooked, Stateful):
    """A part of a network: parameters, buffers, parts of its own, and ``forward``.

    What is set as an attribute is entered by its kind: a ``Parameter`` among the parameters, a
    module among the modules. Calling a module calls ``forward``, and the hooks around it.

    Attributes:
        training: Whether it is being trained; dropout and batch norm ask.
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
        """Compute; to be written by the subclass."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call ``forward``, and the hooks around it."""
        if (
            self._forward_pre_hooks
            or self._forward_hooks
            or self._backward_hooks
            or (self._backward_pre_hooks)
        ):
            return self.call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    # Entering what is set.

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Enter a parameter; None keeps its place free."""
        self._check_name(name, "parameter")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type(param).__name__}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                "created explicitly."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Enter a tensor that is no parameter, but part of the state if it is persistent."""
        self._check_name(name, "buffer")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        (
            self._non_persistent_buffers_set.discard
            if persistent
            else self._non_persistent_buffers_set.add
        )(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Enter a part."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._check_name(name, "module")
        self._modules[name] = module

    register_module = add_module

    def _check_name(self, name: str, kind: str) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type(name).__name__}")
        if "." in name or name == "":
            raise KeyError(f"{kind} name can't contain \".\" and can't be empty: {name!r}")
        known = (self._parameters, self._buffers, self._modules)
        own = {"parameter": 0, "buffer": 1, "module": 2}[kind]
        if hasattr(self, name) and name not in known[own]:
            raise KeyError(f"attribute '{name}' already exists")

    def __setattr__(self, name: str, value: Any) -> None:
        spaces = self.__dict__
        if isinstance(value, Parameter):
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._forget(name, "_modules")
            self._modules[name] = value
        elif isinstance(value, Buffer):
            self._forget(name, "_buffers")
            self.register_buffer(name, value, value.persistent)
        elif "_parameters" in spaces and name in self._parameters:
            self.register_parameter(name, value)
        elif "_modules" in spaces and name in self._modules:
            self.add_module(name, value)
        elif "_buffers" in spaces and name in self._buffers:
            self.register_buffer(name, value, name not in self._non_persistent_buffers_set)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name: str, kind: str) -> None:
        """Take a name out of where it stood; where it stands already, it keeps its place."""
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
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    # Going through the parts.

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yield itself and all parts, each once, with its path."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """Yield itself and all parts."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the parts it holds itself."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """Yield the parts it holds itself."""
        for _, module in self.named_children():
            yield module

    def _named(
        self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        own = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in own if recurse else [(prefix, self)]:
            for name, value in getattr(module, kind).items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield f"{path}.{name}" if path else name, value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield the parameters, each once, with its path."""
        yield from self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters, each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield the buffers, each once, with its path."""
        yield from self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """Find a part by its path."""
        module: Any = self
        for name in target.split(".") if target else ():
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        """Find a parameter by its path."""
        path, _, name = target.rpartition(".")
        found = getattr(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Find a buffer by its path."""
        path, _, name = target.rpartition(".")
        return getattr(self.get_submodule(path), name)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call a function with every part, and with itself last."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # Changing all of it.

    def train(self, mode: bool = True) -> Self:
        """Set it, and all its parts, to be trained; or not."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set it to be used."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Say whether gradients are wanted with respect to its parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Take the gradients of its parameters away; or set them to zero."""
        for parameter in self.parameters():
            if set_to_none:
                parameter._grad = None
            elif parameter._grad is not None:
                parameter._grad.detach_().zero_()

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Change the type of its floating-point parameters and buffers."""
        for tensor in (*self.parameters(), *self.buffers()):
            changed = tensor.detach().to(*args, **kwargs)
            if tensor.is_floating_point() and changed.array is not tensor.array:
                tensor.array = changed.array
                if tensor._grad is not None:
                    tensor._grad = tensor._grad.to(*args, **kwargs)
        return self

    def float(self) -> Self:
        """Change its floating-point parameters and buffers to float32."""
        return self.to(dtypes.float32)

    def double(self) -> Self:
        """Change its floating-point parameters and buffers to float64."""
        return self.to(dtypes.float64)

    def half(self) -> Self:
        """Change its floating-point parameters and buffers to float16."""
        return self.to(dtypes.float16)

    def cpu(self) -> Self:
        """Leave it where it is."""
        return self

    # Its picture.

    def extra_repr(self) -> str:
        """Give what stands in its parentheses."""
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
