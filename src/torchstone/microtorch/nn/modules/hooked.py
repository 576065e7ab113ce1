"""Hooks around a module: what is called before and after it, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchstone.microtorch.autograd.node import RemovableHandle
from torchstone.microtorch.nn.modules.backward_hooks import call_with_backward_hooks

Hooks = dict[int, Any]


class Hooked:
    """What of a module has to do with hooks."""

    _forward_pre_hooks: Hooks
    _forward_hooks: Hooks
    _backward_pre_hooks: Hooks
    _backward_hooks: Hooks
    forward: Callable[..., Any]

    def call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call ``forward``, and the hooks around it."""
        for hook, with_kwargs in list(self._forward_pre_hooks.values()):
            changed = hook(self, args, kwargs) if with_kwargs else hook(self, args)
            if changed is not None and with_kwargs:
                args, kwargs = changed
            elif changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        try:
            if self._backward_hooks or self._backward_pre_hooks:
                result = call_with_backward_hooks(self, args, kwargs)
            else:
                result = self.forward(*args, **kwargs)
        except Exception:
            for hook, with_kwargs, is_always in list(self._forward_hooks.values()):
                if is_always:
                    hook(self, args, kwargs, None) if with_kwargs else hook(self, args, None)
            raise
        for hook, with_kwargs, _ in list(self._forward_hooks.values()):
            given = (self, args, kwargs, result) if with_kwargs else (self, args, result)
            changed = hook(*given)
            result = result if changed is None else changed
        return result

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before ``forward``; what it returns replaces the args."""
        return _add(self._forward_pre_hooks, (hook, with_kwargs), prepend)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after it; what it returns replaces the output.

        With ``always_call`` it is called, with None, when ``forward`` raises, too.
        """
        return _add(self._forward_hooks, (hook, with_kwargs, always_call), prepend)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the gradients of the outputs are there."""
        return _add(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when those of the inputs are."""
        return _add(self._backward_hooks, hook, prepend)


def _add(hooks: Hooks, hook: Any, prepend: bool) -> RemovableHandle:
    before = dict(hooks) if prepend else {}
    if prepend:
        hooks.clear()
    handle = RemovableHandle(hooks, hook)
    hooks.update(before)
    return handle
