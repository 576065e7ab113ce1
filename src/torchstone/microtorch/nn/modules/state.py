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
    """What did not fit when a state was loaded."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class Stateful:
    """Module mixin for the state: state_dict and load_state_dict.

    Attributes:
        _version: Goes into the state, so that ``_load_from_state_dict`` can tell an older one.
    """

    _version: int = 1
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_pre_hooks: Hooks
    # The older, private hooks may return another state; public ones are marked, and must not.
    _state_dict_hooks: dict[int, tuple[Callable[..., Any], bool]]
    _load_state_dict_pre_hooks: Hooks
    _load_state_dict_post_hooks: Hooks

    def _own_state(self) -> dict[str, Tensor]:
        """Return its own parameters and persistent buffers."""
        rest = self._non_persistent_buffers_set
        own: list[tuple[str, Tensor | None]] = [*self._parameters.items()]
        own += [(name, each) for name, each in self._buffers.items() if name not in rest]
        return {name: each for name, each in own if each is not None}

    def get_extra_state(self) -> Any:
        """Return the extra state; subclasses may define it."""
        raise RuntimeError(_NEVER.format("get"))

    def set_extra_state(self, state: Any) -> None:
        """Take what else belongs to the state; subclasses may."""
        raise RuntimeError(_NEVER.format("set"))

    def _save_to_state_dict(
        self, destination: dict[str, Any], prefix: str, keep_vars: bool
    ) -> None:
        """Put its own tensors, without those of its parts, into a state."""
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
        """Return the parameters and persistent buffers under their paths; they share memory."""
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
        """Copy a state into the parameters and buffers.

        Args:
            state_dict: Tensors under the paths that ``state_dict`` gives.
            strict: Raise when a path is missing, or one too many.
            assign: Take the tensors over, instead of copying them.

        Raises:
            RuntimeError: Something does not fit: all that does not is listed.
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
        """Load its own part of a state, and then those of its parts."""
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
        """Load its own part; subclasses may, to change what an older version has saved."""
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
            # Numbers were saved as vectors of one element, long ago.
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
        """Call ``hook(module, prefix, keep_vars)`` before the state is taken."""
        return RemovableHandle(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after the state is taken."""
        return RemovableHandle(self._state_dict_hooks, (hook, True))

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook`` after the state is taken; its result replaces the state."""
        return RemovableHandle(self._state_dict_hooks, (hook, False))

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, ...)`` before a state is loaded."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """Call ``hook`` before a state is loaded; by default without the module."""
        return RemovableHandle(
            self._load_state_dict_pre_hooks, _Bound(hook, self) if with_module else hook
        )

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after a state is loaded."""
        return RemovableHandle(self._load_state_dict_post_hooks, hook)


class _Bound:
    """A hook that is given its module first; of a copy of the module, the copy."""

    def __init__(self, hook: Callable[..., Any], module: Any) -> None:
        self.hook, self.module = hook, module

    def __call__(self, *args: Any) -> Any:
        return self.hook(self.module, *args)


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
