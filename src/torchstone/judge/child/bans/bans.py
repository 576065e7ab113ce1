"""Bans of a job: any use of a forbidden function is reported and ends the process.

The extension that the host compiles bans operators and recording in torch's dispatcher. This module
covers what does not pass through the dispatcher: Python functions of torch that dispatch only
allowed operators (their ``__code__`` is replaced, which reaches every alias), builtin functions
that expose raw memory or compile code (closed in the object itself), imports, and the audit hook.

Slow steps run before the job is forked: `install` and `prepare` in the zygote parent, `impose` in
the template of a problem. Order in a job: `arm`, then Landlock and seccomp (they need ctypes), then
`seal`, and only then the submission.

Not covered: memory errors inside torch's or NumPy's own kernels; a driver patched by the
submission, which can falsify answers but cannot loosen a ban (see docs/decisions/bans.md).
"""

from __future__ import annotations

import contextlib
import ctypes
import fnmatch
import importlib
import importlib.util
import linecache
import os
import re
import sys
import tomllib
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from types import CodeType
from typing import Any

import torch

from ..answering import opaque_function
from ..loaders import extension
from ..protocol.records import Scope
from . import closing, death_signal, native_library, surface, survey
from . import modules as beside

RECORDING = "autograd-recording"
EVERY_OPERATOR = "every-operator"
AUTOCAST = "autocast"

# Folders of torch with Python implementations that dispatch only allowed operators. Extensions may
# use the rest of torch, but these functions are closed to them for tensors that hold values.
IMPLEMENTATIONS = ("_refs", "_decomp", "_prims", "_prims_common", "_inductor", "masked", "testing")
IMPLEMENTATION_MODULES = tuple(f"torch.{folder}" for folder in IMPLEMENTATIONS)

# Torch imports these on first use, from folders that `seal` makes unreadable.
_LAZY_MODULES = (
    "torch._decomp.decompositions_for_jvp",
    "torch._subclasses.schema_check_mode",
    "torch.utils.serialization.config",
    "torch.profiler._cupti_monitor",
)

# Where operators are banned, nothing may compile or register operators: a graph interpreter calls
# kernels without the dispatcher, and a compiler decomposes its input into other operators.
_COMPILERS = (
    "torch.compile",
    "torch._dynamo.eval_frame.optimize",
    "torch._dynamo.eval_frame.optimize_assert",
    "torch._dynamo.eval_frame._optimize",
    "torch._dynamo.eval_frame.export",
    "torch.export.export",
    "torch.jit.script",
    "torch.jit.trace",
    "torch.jit.trace_module",
    "torch.jit.load",
    "torch.jit.freeze",
    "torch.library.Library",
    "torch.library.get_kernel",
    "torch.library.custom_op",
    "torch._ops._Ops.load_library",
    "torch._C._dispatch_library",
    "torch._C._dispatch_call_boxed",
    "torch._C._dispatch_get_computed_kernel_for_dispatch_key",
)
# Builtins that turn a number into a pointer, or read beyond the tuple of their arguments.
_RAW_MEMORY = (
    "torch._C._construct_storage_from_data_pointer",
    "torch._C.StorageBase._new_with_weak_ptr",
    "torch._C.StorageBase._free_weak_ref",
    "torch._C.StorageBase._expired",
    "torch._C.StorageBase._set_cdata",
    "torch._C.StorageBase._resize_with_addr_",
    *("torch._C.StorageBase._set_from_file", "torch._C.StorageBase._write_file"),
    "torch._C._from_dlpack",
    *("torch.Stream", "torch.Event"),  # they call through the bytes of an object of another type
)

# Interpreter events that no submission needs here. `ctypes`: raw memory. `code` and `marshal`:
# hand-made bytecode can read beyond its locals, which is raw memory again (pyc files are not read
# after the seal, see `seal`). `os`, `pty`, `subprocess`, `socket`, `cpython`: other programs, the
# network, other interpreters.
_REFUSED_EVENTS = (
    "ctypes",
    "code.__new__",
    "marshal",
    *("os.exec", "os.posix_spawn"),
    "os.system",
    "os.spawn",
    *("os.fork", "os.forkpty"),
    "pty",
    "subprocess",
    "socket",
    "cpython",
)
# Permitted to kinds that start processes or communicate with them.
PROCESS_EVENTS = frozenset({"os.fork", "os.posix_spawn", "subprocess", "socket"})


class _State:
    """State that `install` computes once, before any fork."""

    def __init__(self, library: str) -> None:
        self.native = native_library.load(library)
        self.families: dict[str, dict[str, list[str]]] = tomllib.loads(self.native.families)
        self.operators: list[str] = sorted(torch._C._dispatch_get_all_op_names())
        self.by_family = {
            name: _members(name, self.families, self.operators) for name in self.families
        }
        # Builtins of overloads that call a kernel of an operator without dispatch.
        by_key = "torch._ops.OpOverload._op_dk"
        self.calls_by_key = [(item._op_dk, by_key) for item in survey.overloads()]
        self.closer = closing.Closer(self.native)
        self.allowed = surface.Allowed(tomllib.loads(self.native.allowed), closing.torch_folder())
        site = os.path.dirname(closing.torch_folder())
        self.beside = beside.AllowedModules(tomllib.loads(self.native.modules), site)
        self.hidden: list[str] = []  # `prepare` sets it
        # Bans of the problem; `impose` sets both.
        self.modules: tuple[str, ...] = ()
        self.closes_surface = False


_state: _State


def install(library: str) -> None:
    """Load the extension and make autograd watchable; this bans nothing.

    The function writes to memory throughout the dispatcher. Call it before the fork of a process
    that shares memory.

    Args:
        library: Path of the compiled extension.
    """
    global _state
    for name in _LAZY_MODULES:
        with contextlib.suppress(ModuleNotFoundError):  # a private module of another torch
            importlib.import_module(name)
    # Kernels in Python that vmap registers when it is first called.
    importlib.import_module("torch._functorch.vmap").lazy_load_decompositions()
    _state = _State(library)
    opaque_function.use(lambda: _state.native)
    with warnings.catch_warnings(action="ignore"):
        _state.native.prepare_recording()


def prepare() -> None:
    """Prepare the closing of everything banned in all jobs; without arming it stays open.

    Like `install`, call it before the fork of a process that shares memory, and after
    `preloading.import_jobs`: the code of the modules that a job runs must be trusted.
    """
    # torch.jit has read the sources of these modules; linecache would expose them.
    linecache.clearcache()
    in_families = (
        name for family in _state.families.values() for name in family.get("functions", ())
    )
    _state.closer.prepare((*_COMPILERS, *_RAW_MEMORY, *_state.allowed.closed, *in_families))
    _state.closer.prepare_surface(_state.allowed, _state.beside)
    for functions in survey.functions_below(os.path.dirname(os.path.dirname(__file__))).values():
        for function in functions:
            trust(function.__code__)
    for name in _state.allowed.judge_calls:
        trust(closing.resolve(name).__code__)
    # Computed once: walking through torch takes 12 ms.
    hidden = (*_state.allowed.hidden_paths(), *_state.beside.hidden_paths())
    _state.hidden = [os.path.realpath(path) for path in hidden]


def trust(code: CodeType) -> None:
    """Allow a code object and those nested in it on the stack of a call that loosens a ban."""
    _state.native.trust(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            trust(constant)


def expand_families(names: Iterable[str]) -> list[str]:
    """Return the full names, with overloads, of all operators of some families.

    Raises:
        ValueError: A family is not in ``families.toml``.
    """
    found: set[str] = set()
    for name in names:
        if name not in _state.by_family:
            known = ", ".join(sorted(_state.by_family))
            raise ValueError(f"no family of operators is called {name!r}; there are {known}.")
        found |= _state.by_family[name]
    return sorted(found)


def impose(
    *,
    families: Sequence[str] = (),
    forward_only: Sequence[str] = (),
    functions: Sequence[str] = (),
    modules: Sequence[str] = (),
    closes: bool = True,
    examines: bool = False,
    surface: bool = True,
) -> None:
    """Apply the bans of a problem to this process and all its forks.

    Args:
        families: Families of operators, banned in forward and backward; may include
            ``autograd-recording``.
        forward_only: Families whose ban is suspended inside `while_lifted`.
        functions: Dotted names of functions, classes or modules of torch to close.
        modules: Modules that the submission may not import; ``numpy`` is also closed.
        closes: Whether torch's ways to compile code and to register operators are closed too; False
            for an extension, which registers operators and is native code anyway.
        examines: Whether operators are examined in this process; the tools are then imported now.
        surface: Whether a ban closes what ``allowed.toml`` does not list, such as
            torch.distributed.
    """
    native = _state.native
    if examines:
        extension.make_ready()
    asleep = set(expand_families(forward_only))
    native.forbid([name for name in expand_families(families) if name not in asleep], False)
    native.forbid(sorted(asleep), True)
    if forward_only:
        of_family = (_state.families[family] for family in forward_only)
        inside = (name for each in of_family for name in each.get("inside", ()))
        native.watch_operators(_overloads(inside))
    if RECORDING in families:
        native.ban_recording()
    if AUTOCAST in families:
        native.forbid_autocast()
    if EVERY_OPERATOR in families:
        native.close(_state.calls_by_key)
    if closes:
        _close_functions([*families, *forward_only], functions, modules, surface=surface)
    else:
        if families or forward_only:
            _state.closer.close_implementations(IMPLEMENTATIONS)
        if "numpy" in modules:
            _state.closer.close_numpy()


def _close_functions(
    banned: Sequence[str], functions: Sequence[str], modules: Sequence[str], *, surface: bool
) -> None:
    """Close the Python functions of families, those named, and those of whole modules."""
    tables = [_state.families[family] for family in banned]
    closed = [*functions, *(name for table in tables for name in table.get("functions", ()))]
    if surface and (banned or functions):
        _state.native.forbid(_overloads(_state.allowed.unchecked), False)
        closed += [*_COMPILERS, *_RAW_MEMORY, *_state.allowed.closed]
        opens = [name for table in tables for name in table.get("opens", ())]
        _state.closer.close_surface(opens=opens)
        _state.beside.forget()
        _state.closes_surface = True
    _state.closer.close(*closed)
    for name in modules:
        if name == "numpy":
            _state.closer.close_numpy()
        elif name in sys.modules and name not in IMPLEMENTATION_MODULES:  # they are closed already
            _state.closer.close(name)
    _state.modules = tuple(modules)


def closes_surface() -> bool:
    """Return whether this job sees only the part of torch that ``allowed.toml`` lists."""
    return _state.closes_surface


def hidden_paths() -> list[str]:
    """Return the files and folders that a job with a closed surface may not read."""
    return _state.hidden


def arm(report_fd: int, *, filename: str = "<submission>", has_workers: bool = False) -> Scope:
    """Arm the bans of this job and return the builtins for the submission.

    Args:
        report_fd: File descriptor for the report of a hit: one or two lines of JSON, written before
            the process ends with status 86.
        filename: The ``co_filename`` of the submission's code.
        has_workers: Whether its processes may request a parent-death signal.
    """
    if has_workers:
        death_signal.use(_state.native.stop)
    _state.native.arm(report_fd, filename)
    return beside.submission_builtins(_state.native.stop, _denied_modules())


def permit_namespace(report_fd: int, name: str) -> None:
    """Let libraries loaded from now on register operators in one namespace.

    Args:
        report_fd: File descriptor for the report, as for `arm`, if a library uses another
            namespace.
        name: The namespace.
    """
    _state.native.permit_namespace(report_fd, name)
    # A library finds the symbols that it was linked against among the global ones.
    ctypes.CDLL(_state.native.__file__, mode=ctypes.RTLD_GLOBAL)


def refuse_processes(report_fd: int) -> None:
    """Install an audit hook that refuses new programs and connections to other machines.

    Args:
        report_fd: File descriptor for the report, as for `arm`.
    """
    _state.native.permit_namespace(report_fd, "")
    _state.native.seal(
        sorted(PROCESS_EVENTS | {"os.system", "os.exec", "os.spawn"}), [], [], [], []
    )


def seal(*, permitted: Collection[str] = ()) -> None:
    """Install the audit hook and close ctypes: the last step before the submission is read.

    Args:
        permitted: Events, refused by default, by which the job starts processes and communicates
            with them.
    """
    modules = _state.modules
    refused = [event for event in _REFUSED_EVENTS if event not in permitted]
    folder = closing.torch_folder()
    files = [file for name in modules if (file := getattr(sys.modules.get(name), "__file__", None))]
    if _state.closes_surface:
        hidden = [*_state.hidden, *map(os.path.realpath, files)]
    else:
        folders = (f"{folder}/{name}" for name in IMPLEMENTATIONS)
        hidden = [*map(os.path.realpath, (*folders, *files))]
    sources = [folder, os.path.dirname(os.__file__), "<frozen "]
    _state.closer.close_ctypes()
    if "numpy" in modules:
        _state.closer.close_numpy_random()  # the job needed it for seeding
    # Without a cache tag importlib compiles late imports from source instead of reading pyc files,
    # so `marshal` can be refused to all code.
    sys.implementation.cache_tag = None  # type: ignore[assignment]
    extensions = _state.beside.extensions if _state.closes_surface else []
    _state.native.seal(refused, _denied_modules(), hidden, sources, extensions)


def _denied_modules() -> list[str]:
    denied = _state.beside.denied if _state.closes_surface else death_signal.denied_modules()
    return [*_state.modules, *IMPLEMENTATION_MODULES, *denied]


def while_lifted(work: Callable[[], Any]) -> Any:
    """Call trusted code; forward-only bans are suspended while autograd's engine runs in it."""
    return _state.native.while_lifted(work)


def take_key(fd: int) -> bool:
    """Read the key of the job, which precedes its first frame; return whether it came.

    The key never becomes a Python object. Native code decrypts with it the encrypted parts of a
    request.
    """
    return bool(_state.native.take_key(fd))


def load(work: Callable[[], Any], *, bare: bool) -> Any:
    """Load the submission; only during this call may it record an autograd graph.

    Args:
        work: Loads the submission.
        bare: Whether all operators are refused afterwards, in every thread. This is complete only
            with the family ``every-operator``, which closes the ways around the dispatcher.
    """
    return _state.native.load(work, bare)


def _members(
    name: str, families: dict[str, dict[str, list[str]]], operators: Sequence[str]
) -> set[str]:
    patterns = families[name]["operators"] if "operators" in families[name] else []
    found: set[str] = set()
    if patterns:
        matches = re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns)).match
        # An in-place variant has the base name with a trailing underscore.
        for operator in operators:
            base = operator.partition(".")[0]
            if matches(base) or matches(base.removesuffix("_")):
                found.add(operator)
    for included in families[name].get("includes", ()):
        found |= _members(included, families, operators)
    return found


def _overloads(names: Iterable[str]) -> list[str]:
    wanted = set(names)
    return [operator for operator in _state.operators if operator.partition(".")[0] in wanted]
