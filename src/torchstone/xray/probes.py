"""Probes: which private names of torch a scene needs, and which of them this torch lacks."""

from __future__ import annotations

from typing import Any

# Scene -> the dotted names that it needs.
NEEDS: dict[str, tuple[str, ...]] = {
    "dispatch": (
        "torch._ops.OpOverload._get_dispatch",
        "torch._ops.resolve_key",
        "torch._dispatch.python.enable_python_dispatcher",
        "torch._C._dispatch_keys",
        "torch._C._dispatch_tls_local_include_set",
        "torch._C._dispatch_tls_local_exclude_set",
        "torch._C._dispatch_has_kernel_for_dispatch_key",
        "torch._C._DisablePythonDispatcher",
    ),
    "graph": (
        "torch.autograd._engine_run_backward",
        "torch._C._autograd",
    ),
    "storage": ("torch._C._functorch.is_functorch_wrapped_tensor",),
    "compile": (
        "torch._inductor.config",
        "torch._functorch.config",
        "torch._dynamo.callback.callback_handler",
    ),
    "memory": ("torch.utils._python_dispatch.TorchDispatchMode",),
    "table": (
        "torch._C._dispatch_dump_table",
        "torch._C._dispatch_dump",
        "torch._C._dispatch_get_all_op_names",
    ),
}


def missing(scene: str) -> list[str]:
    """List the private names that a scene needs and this torch lacks."""
    return [name for name in NEEDS[scene] if not _exists(name)]


def _exists(name: str) -> bool:
    module, *attributes = name.split(".")
    found: Any = __import__(module)
    for attribute in attributes:
        if not hasattr(found, attribute):
            try:
                __import__(f"{module}.{attribute}")
            except ImportError:
                return False
        module, found = f"{module}.{attribute}", getattr(found, attribute)
    return True
