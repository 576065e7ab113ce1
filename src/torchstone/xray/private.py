"""Private names of torch that the x-ray rests on: all are here, and each has a probe.

Another release may lack one of them: ``probes`` names what a scene needs and this torch has not.
"""

from __future__ import annotations

import functools
import logging
import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch

_NAME = re.compile(r"\w+(?=[,)])")
_HOOK = "PythonDispatcher"
Kernel = Any
GetDispatch = Callable[[Any, Any], Kernel]


# --- dispatch keys --------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def _names_in(printed: str) -> tuple[str, ...]:
    return tuple(_NAME.findall(printed))


def keys_of(tensor: torch.Tensor) -> tuple[str, ...]:
    """Return the dispatch keys of a tensor, the last is asked first."""
    return _names_in(str(torch._C._dispatch_keys(tensor)))


def thread_keys() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys that this thread includes and excludes."""
    # The hook is a key as well; it is ours, and not of the program.
    include = torch._C._dispatch_tls_local_include_set()
    exclude = torch._C._dispatch_tls_local_exclude_set()
    return tuple(key for key in _names_in(str(include)) if key != _HOOK), _names_in(str(exclude))


def key_name(key: Any) -> str:
    """Return the name of a dispatch key."""
    return str(key).rpartition(".")[2]


# --- the dispatcher's hook ------------------------------------------------------------------------


def resolved(operator: Any, key: Any) -> Any:
    """Return the key whose kernel an operator has for a key; aliases are resolved."""
    try:
        return torch._ops.resolve_key(operator, key)
    except (RuntimeError, NotImplementedError):
        # An ambiguous registration, or a fallback that is none of the operator's.
        return key


def has_kernel(operator: str, key: str) -> bool:
    """Return whether C++ registered a kernel for a key."""
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(operator, key))


def call_kernel(operator: Any, key: Any, args: Any, kwargs: Any) -> Any:
    """Call the kernel of a key."""
    return operator._op_dk(key, *args, **kwargs)


def call_below(operator: Any, args: Any, kwargs: Any) -> Any:
    """Call an operator by its packet, below the hook: a Python number is accepted there."""
    packet = getattr(getattr(torch.ops, operator.namespace), operator._schema.name.split("::")[1])
    with torch._C._DisablePythonDispatcher():
        return packet(*args, **kwargs)


def unhooked() -> AbstractContextManager[Any]:
    """Return a context in which the hook is not called."""
    context: AbstractContextManager[Any] = torch._C._DisablePythonDispatcher()
    return context


@contextmanager
def hooked(hook: Callable[[GetDispatch, Any, Any], Kernel]) -> Iterator[None]:
    """Ask ``hook(original, operator, key)`` for the kernel of each stop in this thread."""
    from torch._dispatch.python import enable_python_dispatcher

    overload = torch._ops.OpOverload
    original = overload._get_dispatch

    def ask(operator: Any, key: Any) -> Kernel:
        return hook(original, operator, key)

    # What torch itself has asked before, as it does while it compiles, would not be asked again.
    for operator in getattr(torch._ops, "cached_ops", ()):
        operator._dispatch_cache.clear()
    overload._get_dispatch = ask  # type: ignore[method-assign,assignment]
    try:
        with enable_python_dispatcher():
            yield
    finally:
        overload._get_dispatch = original  # type: ignore[method-assign]


def forget_kernel(operator: Any, key: Any) -> None:
    """Make the dispatcher ask for a kernel again at the next call."""
    operator._dispatch_cache.pop(key, None)


@contextmanager
def compilations(begin: Callable[[], None], end: Callable[[], None]) -> Iterator[None]:
    """Call a function when torch.compile begins to compile, and one when it ends."""
    try:
        from torch._dynamo.callback import callback_handler as handler
    except ImportError:
        yield
        return

    def begun(_: object) -> None:
        begin()

    def ended(_: object) -> None:
        end()

    handler.register_start_callback(begun)
    handler.register_end_callback(ended)
    try:
        yield
    finally:
        handler.remove_start_callback(begun)
        handler.remove_end_callback(ended)


@contextmanager
def graphs_called(note: Callable[[str, Callable[[], Any]], Any]) -> Iterator[None]:
    """Call ``note(name, call)`` in place of each call of a graph that Inductor has compiled.

    A graph is imported by its first compilation; until then there is nothing to watch.
    """
    home = "torch._inductor.output_code"
    watched: list[tuple[Any, Any]] = []

    def watch() -> None:
        module = sys.modules.get(home)
        kind = getattr(module, "CompiledFxGraph", None)
        if kind is None or watched:
            return
        original = kind.__call__

        def called(graph: Any, inputs: Any) -> Any:
            return note("compiled graph", lambda: original(graph, inputs))

        watched.append((kind, original))
        kind.__call__ = called

    watch()
    with compilations(_nothing, watch):
        try:
            yield
        finally:
            for kind, original in watched:
                kind.__call__ = original


def _nothing() -> None:
    """Do nothing."""


# --- autograd -------------------------------------------------------------------------------------


@contextmanager
def backwards(around: Callable[[Any, Callable[[], Any]], Any]) -> Iterator[None]:
    """Call ``around(roots, run)`` in place of each run of the engine that a program starts."""
    autograd: Any = torch.autograd
    original = getattr(autograd, "_engine_run_backward", None)
    if original is None:
        yield
        return

    def run(roots: Any, *args: Any, **kwargs: Any) -> Any:
        return around(roots, lambda: original(roots, *args, **kwargs))

    autograd._engine_run_backward = run
    try:
        yield
    finally:
        autograd._engine_run_backward = original


def sequence_number(node: Any) -> int | None:
    """Return the number that a node of the graph got when it was made."""
    ask = getattr(node, "_sequence_nr", None)
    # A leaf has the greatest number there is, so that it runs as soon as it can.
    number = None if ask is None else int(ask())
    return None if number is None or number >= 2**63 else number


def input_shapes(node: Any) -> list[list[int | str]]:
    """Return the shapes of the gradients that come into a node."""
    found = []
    for each in getattr(node, "_input_metadata", ()):
        try:
            found.append([size if type(size) is int else str(size) for size in each.shape])
        except RuntimeError:
            # A nested tensor has no shape that can be asked.
            found.append([])
    return found


def saved_names(node: Any) -> list[str]:
    """Return the names of the tensors that a node of C++ has saved."""
    prefix = "_raw_saved_"
    return [name[len(prefix) :] for name in dir(node) if name.startswith(prefix)]


def saved_handles(node: Any, name: str) -> list[Any]:
    """Return the handles of a saved tensor, or of a list of them."""
    found = getattr(node, f"_raw_saved_{name}")
    return list(found) if isinstance(found, list | tuple) else [found]


def saved_value(node: Any, name: str, index: int, *, is_list: bool) -> Any:
    """Return a saved tensor.

    Raises:
        RuntimeError: It is freed, or was changed after it was saved.
    """
    found = getattr(node, f"_saved_{name}")
    return found[index] if is_list and found is not None else found


def is_list_of_saved(node: Any, name: str) -> bool:
    """Return whether a node has saved a list of tensors under a name."""
    return isinstance(getattr(node, f"_raw_saved_{name}"), list | tuple)


def packed(handle: Any) -> Any:
    """Return what a hook has made of a saved tensor; None where there is no hook."""
    return getattr(handle, "data", None) if getattr(handle, "unpack_hook", None) else None


def has_hook(handle: Any) -> bool:
    """Return whether a hook packs a saved tensor; to read it might compute it again."""
    return getattr(handle, "unpack_hook", None) is not None


def scalars_of(node: Any) -> dict[str, Any]:
    """Return the numbers that a node has saved."""
    found = {}
    tensors = {f"_saved_{name}" for name in saved_names(node)}
    for name in dir(node):
        # To read a tensor might compute it again.
        if not name.startswith("_saved_") or name in tensors:
            continue
        try:
            value = getattr(node, name)
        except RuntimeError:
            continue
        values = value if isinstance(value, list | tuple) else [value]
        if values and all(isinstance(each, bool | int | float | str) for each in values):
            found[name.removeprefix("_saved_")] = _finite(value)
    return found


def _finite(value: Any) -> Any:
    """Return a value for JSON, which knows no infinity."""
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


def storage_key(tensor: torch.Tensor) -> int:
    """Return a number of a tensor's storage, as long as the storage lives."""
    return int(tensor.untyped_storage()._cdata)


def version_of(tensor: torch.Tensor) -> int | None:
    """Return the version of a tensor; an inference tensor has none."""
    return None if tensor.is_inference() else int(tensor._version)


def base_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return the tensor of which another one is a view."""
    return tensor._base if tensor._is_view() else None


def is_copy_on_write(tensor: torch.Tensor) -> bool | None:
    """Return whether the cells of a tensor are copied when they are written; None if unknown."""
    ask = getattr(torch._C, "_is_cow_tensor", None)
    return None if ask is None else bool(ask(tensor))


def allocations(profile: Any) -> list[int] | None:
    """Return the bytes that an allocator has given and taken, in order; None if unknown."""
    results = getattr(getattr(profile, "profiler", None), "kineto_results", None)
    if results is None:
        return None
    events = [event for event in results.events() if event.name() == "[memory]"]
    return [int(event.nbytes()) for event in sorted(events, key=lambda event: event.start_ns())]


# --- torch.compile --------------------------------------------------------------------------------


@contextmanager
def compile_settings() -> Iterator[None]:
    """Have Inductor note which line each kernel comes from, and compile anew."""
    import torch._functorch.config as functorch_config
    import torch._inductor.config as inductor_config

    traced = {"trace.provenance_tracking_level": 1, "fx_graph_cache": False}
    with inductor_config.patch(traced), functorch_config.patch(enable_autograd_cache=False):
        yield


@contextmanager
def compile_records(keep: Callable[[tuple[dict[str, Any], Any]], None]) -> Iterator[None]:
    """Give each record that torch.compile writes for its tools: its fields, and its text."""

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            payload = getattr(record, "payload", None)
            keep((dict(record.metadata), payload() if callable(payload) else payload))  # type: ignore[attr-defined]

    log = logging.getLogger("torch.__trace")
    handlers, level, propagate = list(log.handlers), log.level, log.propagate
    log.handlers, log.propagate = [Keep()], False
    log.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        log.handlers, log.propagate = handlers, propagate
        log.setLevel(level)


# --- tables ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def dump_table(operator: str) -> str:
    """Return the printed table of an operator: what each key leads to."""
    return str(torch._C._dispatch_dump_table(operator))


@functools.cache
def operator_names() -> tuple[str, ...]:
    """List all operators that are registered."""
    return tuple(sorted(torch._C._dispatch_get_all_op_names()))


def schema_of(operator: Any) -> Any:
    """Return the schema of an operator."""
    return operator._schema


def is_opaque(tensor: torch.Tensor) -> bool:
    """Return whether a tensor wraps another one of a transformation of functions."""
    return bool(torch._C._functorch.is_functorch_wrapped_tensor(tensor))


def dump(operator: str) -> str:
    """Return the printed registrations of an operator, with its schema."""
    return str(torch._C._dispatch_dump(operator))
