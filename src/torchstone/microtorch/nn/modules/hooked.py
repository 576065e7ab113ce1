"""Module hooks: forward, forward pre-, backward and registration hooks."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from torchstone.microtorch.autograd.node import RemovableHandle
from torchstone.microtorch.nn.modules.backward_hooks import call_with_backward_hooks, show_node

Hooks = dict[int, Any]
# Global hooks for all modules: (kind, hook).
EVERYWHERE: Hooks = {}
# Global registration hooks for all modules: (kind, hook).
_ENTERING: Hooks = {}


def of_all(kind: str) -> Callable[..., RemovableHandle]:
    """Create the function that registers global hooks of one kind."""
    is_entering = kind in ("parameter", "buffer", "module")
    own: tuple[bool, ...] = {"forward_pre": (False,), "forward": (False, False)}.get(kind, ())

    def register(hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook for all modules; it runs before their own hooks."""
        entry = (kind, (hook, *own) if own else hook)
        return RemovableHandle(_ENTERING if is_entering else EVERYWHERE, entry)

    return register


def _common(kind: str) -> Iterator[Any]:
    return (hook for each, hook in list(EVERYWHERE.values()) if each == kind)


def show_entered(kind: str, module: Any, name: str, value: Any) -> Any:
    """Call the registration hooks for a new entry; return the entry or its replacement."""
    for each, hook in list(_ENTERING.values()):
        changed = hook(module, name, value) if each == kind else None
        value = value if changed is None else changed
    return value


class Hooked:
    """Module mixin for hooks."""

    _forward_pre_hooks: Hooks
    _forward_hooks: Hooks
    _backward_pre_hooks: Hooks
    _backward_hooks: Hooks
    # Whether the backward hooks are full ones or deprecated ones; None before the first one.
    _is_full_backward_hook: bool | None = None
    forward: Callable[..., Any]

    def call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call ``forward`` with the hooks around it."""
        result = None
        rest = [*_common("forward"), *self._forward_hooks.values()]
        try:
            args, kwargs = self._call_before(args, kwargs)
            result = self._call_forward(args, kwargs)
            # Read again, because forward may have registered hooks.
            rest = [*_common("forward"), *self._forward_hooks.values()]
            while rest:
                hook, with_kwargs, _ = rest.pop(0)
                given = (self, args, kwargs, result) if with_kwargs else (self, args, result)
                changed = hook(*given)
                result = result if changed is None else changed
        except Exception:
            for hook, with_kwargs, is_always in rest:
                if is_always:
                    given = (self, args, kwargs, result) if with_kwargs else (self, args, result)
                    _call_quietly(hook, given)
            raise
        return result

    def _call_before(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for hook, with_kwargs in [*_common("forward_pre"), *self._forward_pre_hooks.values()]:
            changed = hook(self, args, kwargs) if with_kwargs else hook(self, args)
            if changed is None:
                continue
            if not with_kwargs:
                args = changed if isinstance(changed, tuple) else (changed,)
            elif isinstance(changed, tuple) and len(changed) == 2:
                args, kwargs = changed
            else:
                raise RuntimeError(
                    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but "
                    f"got {changed}."
                )
        return args, kwargs

    def _call_forward(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        before = [*_common("backward_pre"), *self._backward_pre_hooks.values()]
        is_full = self._is_full_backward_hook is not False
        after = [*_common("backward"), *(self._backward_hooks.values() if is_full else ())]
        if before or after:
            result = call_with_backward_hooks(self, args, kwargs, before, after)
        else:
            result = self.forward(*args, **kwargs)
        if not is_full:
            hooks = [functools.partial(each, self) for each in self._backward_hooks.values()]
            show_node(result, args, hooks)
        return result

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Register ``hook(module, args)``, run before ``forward``; its result replaces the args."""
        return _add(self._forward_pre_hooks, (hook, with_kwargs), prepend)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Register ``hook(module, args, output)``, run after ``forward``.

        A value that it returns replaces the output. With ``always_call`` the hook also runs, with
        an output of None, if ``forward`` raises an error.
        """
        return _add(self._forward_hooks, (hook, with_kwargs, always_call), prepend)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Register ``hook(module, grad_output)``, run when the output gradients are complete."""
        return _add(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Register ``hook(module, grad_input, grad_output)``, run after the input gradients."""
        self._keep_to(is_full=True)
        return _add(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register ``hook(module, grad_input, grad_output)`` for the last operation's gradients.

        This hook is deprecated; use ``register_full_backward_hook``.
        """
        self._keep_to(is_full=False)
        return _add(self._backward_hooks, hook, prepend=False)

    def _keep_to(self, is_full: bool) -> None:
        if self._is_full_backward_hook not in (None, is_full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single "
                "Module. Please use only one of them."
            )
        self._is_full_backward_hook = is_full


def _call_quietly(hook: Callable[..., Any], given: tuple[Any, ...]) -> None:
    try:
        hook(*given)
    except Exception as error:  # noqa: BLE001 - another error is on its way already
        warnings.warn(
            "module forward hook with ``always_call=True`` raised an exception that was silenced "
            f"as another error was raised in forward: {error}",
            stacklevel=4,
        )


def _add(hooks: Hooks, hook: Any, prepend: bool) -> RemovableHandle:
    before = dict(hooks) if prepend else {}
    if prepend:
        hooks.clear()
    handle = RemovableHandle(hooks, hook)
    hooks.update(before)
    return handle
