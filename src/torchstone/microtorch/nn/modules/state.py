"""Module state: state_dict and load_state_dict."""

from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from torchstone.microtorch.autograd.node import RemovableHandle
from torchstone.microtorch.grad_mode import no_grad
from torchstone.microtorch.nn.parameter import Parameter
from torchstone.microtorch.tensor import Tensor

EXTRA_STATE = "_extra_state"
_NEVER = (
    "Reached a code path in Module.{}_extra_state() that should never be called: write "
    "get_extra_state and set_extra_state."
)
Hooks = dict[int, Callable[..., Any]]


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """Missing and unexpected keys of ``load_state_dict``."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class Stateful:
    """Module mixin for the state: state_dict and load_state_dict.

    Attributes:
        _version: Stored in the metadata, so that ``_load_from_state_dict`` can convert old states.
    """

    _version: int = 1
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_pre_hooks: Hooks
    # Private hooks may replace the state; public ones, marked True, must return None.
    _state_dict_hooks: dict[int, tuple[Callable[..., Any], bool]]
    _load_state_dict_pre_hooks: Hooks
    _load_state_dict_post_hooks: Hooks

    def _own_state(self) -> dict[str, Tensor]:
        """Return the module's own parameters and persistent buffers."""
        rest = self._non_persistent_buffers_set
        own: list[tuple[str, Tensor | None]] = [*self._parameters.items()]
        own += [(name, each) for name, each in self._buffers.items() if name not in rest]
        return {name: each for name, each in own if each is not None}

    def get_extra_state(self) -> Any:
        """Return extra state. Overridden by subclasses that have some."""
        raise RuntimeError(_NEVER.format("get"))

    def set_extra_state(self, state: Any) -> None:
        """Restore extra state. Overridden by subclasses that have some."""
        raise RuntimeError(_NEVER.format("set"))

    def _save_to_state_dict(
        self, destination: dict[str, Any], prefix: str, keep_vars: bool
    ) -> None:
        """Add the module's own tensors, without those of submodules, to a state_dict."""
        for name, tensor in self._own_state().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not Stateful.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def state_dict(
        self,
        *args: Any,
        destination: dict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Any]:
        """Return parameters and persistent buffers by path; memory is shared with the module."""
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html"
                "#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            destination, prefix, keep_vars = (*args, destination, prefix, keep_vars)[:3]
        state: Any = destination
        if state is None:
            state = OrderedDict()
            state._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(state, "_metadata"):
            state._metadata[prefix[:-1]] = metadata
        for before in list(self._state_dict_pre_hooks.values()):
            before(self, prefix, keep_vars)
        self._save_to_state_dict(state, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook, is_plain in list(self._state_dict_hooks.values()):
            changed = hook(self, state, prefix, metadata)
            if changed is not None and is_plain:
                raise RuntimeError("state_dict post-hook must return None")
            state = state if changed is None else changed
        return state

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy a state_dict into the parameters and buffers.

        Args:
            state_dict: Tensors by path, as ``state_dict`` returns them.
            strict: Raise an error for missing and for unexpected keys.
            assign: Assign the tensors themselves instead of copying their values.

        Raises:
            RuntimeError: The state does not match; the message lists all mismatches.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        given: Any = OrderedDict(state_dict)
        given._metadata = getattr(state_dict, "_metadata", {})
        errors, keys = list[str](), _IncompatibleKeys([], [])
        self._load(given, given._metadata, "", assign, keys, errors)
        if strict and keys.unexpected_keys:
            errors.insert(0, f"Unexpected key(s) in state_dict: {_quoted(keys.unexpected_keys)}. ")
        if strict and keys.missing_keys:
            errors.insert(0, f"Missing key(s) in state_dict: {_quoted(keys.missing_keys)}. ")
        if errors:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t"
                + "\n\t".join(errors)
            )
        return keys

    def _load(
        self,
        given: dict[str, Any],
        versions: Mapping[str, Any],
        prefix: str,
        assign: bool,
        keys: _IncompatibleKeys,
        errors: list[str],
    ) -> None:
        """Load the module's own state, then that of its submodules."""
        metadata = versions.get(prefix[:-1], {})
        if assign:
            metadata["assign_to_params_buffers"] = True
        lists = (keys.missing_keys, keys.unexpected_keys, errors)
        self._load_from_state_dict(given, prefix, metadata, True, *lists)
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}{name}."
                part = {key: value for key, value in given.items() if key.startswith(path)}
                module._load(part, versions, path, assign, keys, errors)
        for after in list(self._load_state_dict_post_hooks.values()):
            if after(self, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected "
                    "to return new values, if incompatible_keys need to be modified, it should be "
                    "done inplace."
                )

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load the module's own state; overridden to convert states of older versions."""
        lists = (missing_keys, unexpected_keys, error_msgs)
        for hook in list(self._load_state_dict_pre_hooks.values()):
            hook(state_dict, prefix, local_metadata, strict, *lists)
        own = self._own_state()
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, tensor in own.items():
            key = prefix + name
            if key in state_dict:
                self._load_one(name, tensor, state_dict[key], key, assign, error_msgs)
            elif strict:
                missing_keys.append(key)
        extra = prefix + EXTRA_STATE
        has_extra = type(self).set_extra_state is not Stateful.set_extra_state
        if has_extra and extra in state_dict:
            self.set_extra_state(state_dict[extra])
        elif strict and has_extra != (extra in state_dict):
            (missing_keys if has_extra else unexpected_keys).append(extra)
        for key in state_dict if strict else ():
            if key.startswith(prefix) and key != extra:
                name, dot, _ = key.removeprefix(prefix).partition(".")
                if name not in (self._modules if dot else own):
                    unexpected_keys.append(key)

    def _load_one(
        self, name: str, own: Tensor, value: Any, key: str, assign: bool, errors: list[str]
    ) -> None:
        if not isinstance(value, Tensor):
            errors.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                f"object from checkpoint but received {type(value)}"
            )
            return
        if own.shape == () and value.ndim == 1:
            # Old checkpoints stored 0-d tensors as vectors of one element.
            value = value[0]
        if own.shape != value.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from "
                f"checkpoint, the shape in current model is {own.shape}."
            )
        elif assign:
            if isinstance(own, Parameter) and not isinstance(value, Parameter):
                value = Parameter(value, requires_grad=own.requires_grad)
            elif isinstance(own, Parameter):
                value.requires_grad_(own.requires_grad)
            setattr(self, name, value)
        else:
            with no_grad():
                own.copy_(value)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register ``hook(module, prefix, keep_vars)``, run before ``state_dict``."""
        return RemovableHandle(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook, run after the state is taken, that must not replace the state.

        It is called as ``hook(module, state_dict, prefix, local_metadata)``.
        """
        return RemovableHandle(self._state_dict_hooks, (hook, True))

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook run after ``state_dict``; its result replaces the state."""
        return RemovableHandle(self._state_dict_hooks, (hook, False))

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register ``hook(module, state_dict, prefix, ...)``, run before a state is loaded."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """Register a hook run before a state is loaded; ``with_module`` passes the module first."""
        return RemovableHandle(
            self._load_state_dict_pre_hooks, _Bound(hook, self) if with_module else hook
        )

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register ``hook(module, incompatible_keys)``, run after a state is loaded."""
        return RemovableHandle(self._load_state_dict_post_hooks, hook)


class _Bound:
    """Hook with the module as first argument; a deep copy is bound to the copied module."""

    def __init__(self, hook: Callable[..., Any], module: Any) -> None:
        self.hook, self.module = hook, module

    def __call__(self, *args: Any) -> Any:
        return self.hook(self.module, *args)


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
