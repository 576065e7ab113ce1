"""The state of a module: taken out under the paths of its parameters and buffers, and put back."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from torchstone.microtorch.autograd.node import RemovableHandle
from torchstone.microtorch.nn.parameter import Parameter
from torchstone.microtorch.tensor import Tensor

EXTRA_STATE = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """What did not fit when a state was loaded."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


class Stateful:
    """What of a module has to do with its state."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: dict[int, Callable[..., Any]]
    _load_state_dict_pre_hooks: dict[int, Callable[..., Any]]
    _load_state_dict_post_hooks: dict[int, Callable[..., Any]]

    def _own_state(self) -> Iterator[tuple[str, Tensor]]:
        """Yield its own parameters and persistent buffers."""
        for name, parameter in self._parameters.items():
            if parameter is not None:
                yield name, parameter
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                yield name, buffer

    def get_extra_state(self) -> Any:
        """Give what else belongs to the state; subclasses may."""
        raise RuntimeError("there is no extra state; write get_extra_state and set_extra_state")

    def set_extra_state(self, state: Any) -> None:
        """Take what else belongs to the state; subclasses may."""
        raise RuntimeError("there is no extra state; write get_extra_state and set_extra_state")

    def _has_extra_state(self) -> bool:
        return type(self).get_extra_state is not Stateful.get_extra_state

    def state_dict(
        self,
        *,
        destination: dict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Any]:
        """Give the parameters and persistent buffers under their paths; they share memory."""
        state: dict[str, Any] = OrderedDict() if destination is None else destination
        for name, tensor in self._own_state():
            state[prefix + name] = tensor if keep_vars else tensor.detach()
        if self._has_extra_state():
            state[prefix + EXTRA_STATE] = self.get_extra_state()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in list(self._state_dict_hooks.values()):
            hook(self, state, prefix, {})
        return state

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy a state into the parameters and buffers.

        Args:
            state_dict: Tensors under the paths that ``state_dict`` gives.
            strict: Raise when a path is missing, or one too many.
            assign: Take the tensors over, instead of copying them.

        Raises:
            RuntimeError: Something does not fit: all that does not is listed.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"Expected state_dict to be dict-like, got {type(state_dict).__name__}."
            )
        given, errors = dict(state_dict), list[str]()
        keys = IncompatibleKeys([], [])
        self._load(given, "", assign, strict, keys, errors)
        known = {key for key, _ in self._all_keys("")}
        keys.unexpected_keys.extend(key for key in given if key not in known)
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

    def _all_keys(self, prefix: str) -> Iterator[tuple[str, Any]]:
        for name, tensor in self._own_state():
            yield prefix + name, tensor
        if self._has_extra_state():
            yield prefix + EXTRA_STATE, None
        for name, module in self._modules.items():
            if module is not None:
                yield from module._all_keys(f"{prefix}{name}.")

    def _load(
        self,
        given: dict[str, Any],
        prefix: str,
        assign: bool,
        strict: bool,
        keys: IncompatibleKeys,
        errors: list[str],
    ) -> None:
        for hook in list(self._load_state_dict_pre_hooks.values()):
            hook(self, given, prefix, {}, strict, keys.missing_keys, keys.unexpected_keys, errors)
        for name, tensor in list(self._own_state()):
            key = prefix + name
            if key not in given:
                keys.missing_keys.append(key)
            else:
                self._load_one(name, tensor, given[key], key, assign, errors)
        extra = prefix + EXTRA_STATE
        if self._has_extra_state() and extra in given:
            self.set_extra_state(given[extra])
        elif self._has_extra_state():
            keys.missing_keys.append(extra)
        for name, module in self._modules.items():
            if module is not None:
                module._load(given, f"{prefix}{name}.", assign, strict, keys, errors)
        for after in list(self._load_state_dict_post_hooks.values()):
            after(self, keys)

    def _load_one(
        self, name: str, own: Tensor, value: Any, key: str, assign: bool, errors: list[str]
    ) -> None:
        if not isinstance(value, Tensor):
            errors.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                f"object from checkpoint but received {type(value).__name__}"
            )
        elif own.array.shape != value.array.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from "
                f"checkpoint, the shape in current model is {own.shape}."
            )
        elif assign:
            if isinstance(own, Parameter) and not isinstance(value, Parameter):
                value = Parameter(value, requires_grad=own._requires_grad)
            setattr(self, name, value)
        else:
            np.copyto(own.array, value.array, casting="unsafe")
            own.bump_version()

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after the state is taken."""
        return RemovableHandle(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, ...)`` before a state is loaded."""
        return RemovableHandle(self._load_state_dict_pre_hooks, hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after a state is loaded."""
        return RemovableHandle(self._load_state_dict_post_hooks, hook)


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
