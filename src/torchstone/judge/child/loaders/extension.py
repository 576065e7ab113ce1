"""Loader of torch extensions: a C++ operator library, or a wheel that contains one.

It runs inside the sandbox. The extension shares this process, so it can falsify what it reports
about itself; only its values and gradients for unpredictable inputs count. Requests that need
torch's own operators go to a second process, in which no operator is banned.
"""

from __future__ import annotations

import importlib
import io
import os
import secrets
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import torch

from ..answering.fault import describe_error, package_folders
from ..protocol.records import LibraryErrorRecord, Scope
from .submission import LoadError

_load_library: Callable[[str], None] = torch.ops.load_library


class Operators:
    """Operators of one namespace, as attributes."""

    def __init__(self, namespace: str) -> None:
        self._operators = getattr(torch.ops, namespace)

    def names(self) -> Scope:
        """Return the names for an expression: none, because the file is not Python."""
        return {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._operators, name)


def load_library(data: bytes, namespace: str, names: Sequence[str], folder: str) -> Operators:
    """Load a library, which registers its operators.

    Raises:
        LoadError: It cannot be loaded, or an operator of the interface is missing.
    """
    path = os.path.join(folder, f"ext-{secrets.token_hex(8)}.so")
    with open(path, "xb") as file:
        file.write(data)
    try:
        _load_library(path)
    except (OSError, RuntimeError) as error:
        record: LibraryErrorRecord = {"type": type(error).__name__, "message": str(error)}
        raise LoadError("RTE", "load.raised", {}, record) from None
    return operators_of(namespace, names)


def operators_of(namespace: str, names: Sequence[str]) -> Operators:
    """Return the operators registered in a namespace.

    Raises:
        LoadError: An operator of the interface is missing.
    """
    operators = Operators(namespace)
    found = {
        name.partition("::")[2].partition(".")[0]
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith(f"{namespace}::")
    }
    for name in names:
        if name not in found:
            values = {"name": f"{namespace}::{name}", "defined": ", ".join(sorted(found))}
            raise LoadError("CE", "load.missing_name", values)
    return operators


def make_ready() -> None:
    """Import the tools that examine operators and use them once, to save each job the time."""
    # There is no writable folder yet; each job will have its own under this name.
    tempfile.tempdir = os.environ.get("TMPDIR")
    from torch.testing._internal import optests  # noqa: F401

    make: Callable[..., Any] = torch.library.Library
    library = make("torchstone_ready", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")
    torch.library.register_autograd(
        "torchstone_ready::twice", lambda _, grad: grad * 2, lib=library
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = torch.ones(2, requires_grad=True)
        torch.library.opcheck(torch.ops.torchstone_ready.twice.default, (x,))
    library._destroy()


def load_wheel(data: bytes, module: str, names: Sequence[str], folder: str) -> Any:
    """Install a wheel into an empty folder and import its package, as on a user's machine.

    PATH is empty, so no compiler is found; the working directory has no source tree.

    Raises:
        LoadError: It cannot be imported, or a name of the interface is missing.
    """
    # Below level `namespaces` all jobs of a zygote share the folder.
    own = os.path.join(folder, f"wheel-{secrets.token_hex(8)}")
    site, elsewhere = os.path.join(own, "site"), os.path.join(own, "elsewhere")
    os.makedirs(elsewhere)
    with zipfile.ZipFile(io.BytesIO(data)) as wheel:
        wheel.extractall(site)
    os.environ.update(PATH="", HOME=elsewhere)
    os.chdir(elsewhere)
    sys.path.insert(0, site)
    package_folders.append(site)
    before = _functions_of_torch()
    try:
        package = importlib.import_module(module)
    # Any exception during the import ends the judging, SystemExit included.
    except BaseException as error:  # noqa: BLE001
        raise LoadError("RTE", "load.raised", {}, describe_error(error)) from None
    now = _functions_of_torch()
    changed = sorted(name for name, item in before.items() if now.get(name) is not item)
    if changed:
        raise LoadError("FORBIDDEN_OP", "load.patched", {"name": changed[0]})
    for name in names:
        if not callable(getattr(package, name, None)):
            public = (key for key in dir(package) if not key.startswith("_"))
            defined = [key for key in public if callable(getattr(package, key))]
            values = {"name": f"{module}.{name}", "defined": ", ".join(sorted(defined)[:8])}
            raise LoadError("CE", "load.missing_name", values)
    return package


def _functions_of_torch() -> dict[str, object]:
    """Return what an import may not replace: functions, classes and code objects of torch."""
    found: dict[str, object] = {}
    for owner in _WATCHED:
        for name, item in vars(owner).items():
            if callable(item):
                found[f"{owner.__name__}.{name}"] = item
                if isinstance(item, FunctionType):
                    found[f"{owner.__name__}.{name}.__code__"] = item.__code__
    return found


_WATCHED = (
    torch,
    torch.Tensor,
    torch.autograd,
    torch.autograd.graph,
    torch.library,
    torch.nn.functional,
    torch.ops.__class__,
    torch.testing,
)
