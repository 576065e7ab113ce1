"""Bans of a job: any use of a forbidden function is reported and ends the process.

Operators and recording are banned in torch's dispatcher by the extension that the host compiled.
This module adds what the dispatcher does not see: Python functions of torch that dispatch only
allowed operators (their ``__code__`` is replaced, which reaches every alias), builtin functions
that hand out raw memory or compile code (closed in the object itself), imports, and the audit hook.

Slow steps run before the job is forked: `install` and `prepare` in the zygote parent, `impose` in
the template of a problem. Order in a job: `arm`, then Landlock and seccomp (they need ctypes), then
`seal`, and only then the submission.

Not protected: memory errors inside torch's or NumPy's own kernels; a driver patched by the
submission, which can lie about answers but cannot loosen a ban (see docs/decisions/bans.md).
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

from . import closing, death_signal, extension, native_library, opaque_function, surface, survey
from . import modules as beside
from .records import Scope

RECORDING = "autograd-recording"
EVERY_OPERATOR = "every-operator"
AUTOCAST = "autocast"

# Folders of torch with implementations in Python that dispatch only allowed operators. To
# extensions, which otherwise keep all of torch, they are closed where tensors hold values.
IMPLEMENTATIONS = ("_refs", "_decomp", "_prims", "_prims_common", "_inductor", "masked", "testing")
IMPLEMENTATION_MODULES = tuple(f"torch.{folder}" for folder in IMPLEMENTATIONS)

# Loaded by honest calls when they are first made, from folders that `seal` makes unreadable.
_LAZY_MODULES = (
    "torch._decomp.decompositions_for_jvp",
    "torch._subclasses.schema_check_mode",
    "torch.utils.serialization.config",
    "torch.profiler._cupti_monitor",
)

# Where operators are banned, nothing may compile or register others: an interpreter of graphs calls
# kernels without the dispatcher, and a compiler decomposes what it is given.
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
    *("torch.Stream", "torch.Event"),  # they call through the bytes of what they take for another
)

# Events of the interpreter that no submission of the kinds judged here needs. `ctypes`: raw memory.
# `code` and `marshal`: bytecode made by hand reads beyond its locals, which is raw memory again
# (pyc files are not read after the seal, see `seal`). `os`, `pty`, `subprocess`, `socket`,
# `cpython`: other programs, the network, other mains.
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
# For kinds that start processes or talk to them.
PROCESS_EVENTS = frozenset({"os.fork", "os.posix_spawn", "subprocess", "socket"})


class _State:
    """What `install` collects before any fork, so that a fork computes nothing twice."""

    def __init__(self, library: str) -> None:
        self.native = native_library.load(library)
        self.families: dict[str, dict[str, list[str]]] = tomllib.loads(self.native.families)
        self.operators: list[str] = sorted(torch._C._dispatch_get_all_op_names())
        self.by_family = {
            name: _members(name, self.families, self.operators) for name in self.families
        }
        # Builtins in overloads that call one kernel of an operator past its dispatch.
        by_key = "torch._ops.OpOverload._op_dk"
        self.calls_by_key = [(item._op_dk, by_key) for item in survey.overloads()]
        self.closer = closing.Closer(self.native)
        self.allowed = surface.Allowed(tomllib.loads(self.native.allowed), closing.torch_folder())
        site = os.path.dirname(closing.torch_folder())
        self.beside = beside.AllowedModules(tomllib.loads(self.native.modules), site)
        self.hidden: list[str] = []  # `prepare` sets it
        # What the problem bans; `impose` sets both.
        self.modules: tuple[str, ...] = ()
        self.closes_surface = False


_state: _State


def install(library: str) -> None:
    """Load the extension and make autograd watchable; nothing is banned by that.

    It touches memory all over the dispatcher. Call it before the fork of a process that shares it.

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
    """Close, for all jobs to come, what no job may use; it stays open where nothing is armed.

    Call it, like `install`, before the fork of a process that shares memory, and after
    `preloading.import_jobs`: the code of the modules that a job runs must be trusted.
    """
    # torch.jit has read sources of these modules; nothing may hand them on.
    linecache.clearcache()
    in_families = (
        name for family in _state.families.values() for name in family.get("functions", ())
    )
    _state.closer.prepare((*_COMPILERS, *_RAW_MEMORY, *_state.allowed.closed, *in_families))
    _state.closer.prepare_surface(_state.allowed, _state.beside)
    for functions in survey.functions_below(os.path.dirname(__file__)).values():
        for function in functions:
            trust(function.__code__)
    for name in _state.allowed.judge_calls:
        trust(closing.resolve(name).__code__)
    # A walk through torch takes 12 ms; no job makes one.
    hidden = (*_state.allowed.hidden_paths(), *_state.beside.hidden_paths())
    _state.hidden = [os.path.realpath(path) for path in hidden]


def trust(code: CodeType) -> None:
    """Let code of ours, functions in it included, be on the stack of a call that loosens a ban."""
    _state.native.trust(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            trust(constant)


def expand_families(names: Iterable[str]) -> list[str]:
    """Return the full names, overloads included, of all operators of some families.

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
    """Ban what a problem bans, in this process and in all that it forks.

    Args:
        families: Families of operators, banned in forward and backward; ``autograd-recording``
            among them.
        forward_only: Families that sleep inside `while_lifted`.
        functions: Dotted names of functions, classes or modules of torch that are closed.
        modules: Modules that the submission may not import; ``numpy`` is closed as well.
        closes: Whether torch's ways to compile code and to register operators are closed with them;
            not for an extension, which registers operators and is native code anyway.
        examines: Whether operators are examined here; what that takes is made ready.
        surface: Whether a ban closes what ``allowed.toml`` does not list, as torch.distributed.
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
    """Close functions of Python: those of families, those that are named, and of whole modules."""
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
    """Return whether this job sees of torch only what ``allowed.toml`` lists."""
    return _state.closes_surface


def hidden_paths() -> list[str]:
    """Return the files and folders that such a job may not read."""
    return _state.hidden


def arm(report_fd: int, *, filename: str = "<submission>", has_workers: bool = False) -> Scope:
    """Arm the bans of this job and give the builtins that the submission is to see.

    Args:
        report_fd: Where a hit is reported, as one or two lines of JSON, before the process ends
            with status 86.
        filename: The ``co_filename`` of the submission's code.
        has_workers: Whether its processes may ask for the death signal.
    """
    if has_workers:
        death_signal.use(_state.native.stop)
    _state.native.arm(report_fd, filename)
    return beside.submission_builtins(_state.native.stop, _denied_modules())


def permit_namespace(report_fd: int, name: str) -> None:
    """Let libraries that are loaded from now on register operators, in one namespace.

    Args:
        report_fd: Where it is reported, as by `arm`, if one registers in another.
        name: The namespace.
    """
    _state.native.permit_namespace(report_fd, name)
    # What a library was linked to find is looked for among what everybody may see.
    ctypes.CDLL(_state.native.__file__, mode=ctypes.RTLD_GLOBAL)


def refuse_processes(report_fd: int) -> None:
    """Install an audit hook that refuses new programs and connections to other machines.

    Args:
        report_fd: Where it is reported, as by `arm`.
    """
    _state.native.permit_namespace(report_fd, "")
    _state.native.seal(
        sorted(PROCESS_EVENTS | {"os.system", "os.exec", "os.spawn"}), [], [], [], []
    )


def seal(*, permitted: Collection[str] = ()) -> None:
    """Install the audit hook and close ctypes; the last step before the submission is read.

    Args:
        permitted: Events, otherwise refused, by which the job starts processes and talks to them.
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
        _state.closer.close_numpy_random()  # not before the job has seeded it
    # Without a tag importlib compiles what is imported late from its source instead of reading a
    # pyc file, so that `marshal` can be refused to everybody.
    sys.implementation.cache_tag = None  # type: ignore[assignment]
    extensions = _state.beside.extensions if _state.closes_surface else []
    _state.native.seal(refused, _denied_modules(), hidden, sources, extensions)


def _denied_modules() -> list[str]:
    denied = _state.beside.denied if _state.closes_surface else death_signal.denied_modules()
    return [*_state.modules, *IMPLEMENTATION_MODULES, *denied]


def while_lifted(work: Callable[[], Any]) -> Any:
    """Call something of ours; where autograd's engine runs in it, forward-only bans sleep."""
    return _state.native.while_lifted(work)


def take_key(fd: int) -> bool:
    """Read the key of the job, which comes before its first frame; return whether it came.

    It becomes no object of Python. What a request holds encrypted is decrypted with it.
    """
    return bool(_state.native.take_key(fd))


def load(work: Callable[[], Any], *, bare: bool) -> Any:
    """Load the submission: it may record a graph meanwhile, and never again.

    Args:
        work: Loads it.
        bare: Afterwards no operator may be called at all, in any thread. It holds tight only with
            the family ``every-operator``, which closes the ways past it.
    """
    return _state.native.load(work, bare)


def _members(
    name: str, families: dict[str, dict[str, list[str]]], operators: Sequence[str]
) -> set[str]:
    patterns = families[name]["operators"] if "operators" in families[name] else []
    found: set[str] = set()
    if patterns:
        matches = re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns)).match
        # An in-place variant is the name with an underscore.
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
