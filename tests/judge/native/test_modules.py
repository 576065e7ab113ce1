"""Where something is banned, the listed modules can be imported, and no other one."""

import ast
import json
import os
import sys
import tomllib
from pathlib import Path

import pytest
import torch

from tests.shipped import shipped_bank
from torchstone.bank.schema import Kind
from torchstone.judge import native
from torchstone.judge.child.bans import surface
from torchstone.judge.child.bans.modules import AllowedModules

pytestmark = [pytest.mark.full, pytest.mark.torch]

TABLE = tomllib.loads((Path(native.__file__).parent / "modules.toml").read_text(encoding="utf-8"))
ALLOWED = tomllib.loads((Path(native.__file__).parent / "allowed.toml").read_text(encoding="utf-8"))
LIBRARY = f"{os.path.realpath(os.path.dirname(os.__file__))}/"
# Denied by the problem itself, or made when the submission is loaded.
ELSEWHERE = {"numpy", "submission"}
OTHERS = sorted(
    name
    for name in {*sys.stdlib_module_names, "functorch", "jinja2", "mpmath", "sympy", "torchgen"}
    - {*TABLE["importable"], *TABLE["readable"]}
    if name not in {"antigravity", "this", "idlelib", "lib2to3", "test", "turtledemo"}
)


def test_every_listed_module_can_be_imported(warm):
    source = "".join(f"import {each}\n" for each in TABLE["importable"] if each not in ELSEWHERE)
    result = warm.run("01", source)
    assert result["status"] == 0, result


# Each costs a process: these, and every tenth of the others.
TRIED = {"_ctypes", "_posixsubprocess", "ctypes", "mmap", "multiprocessing", "socket", "subprocess"}


def test_every_other_module_is_denied() -> None:
    site = str(Path(torch.__file__).parent.parent)
    assert set(OTHERS) - set(AllowedModules(TABLE, site).denied) == set()


@pytest.mark.gate("ctypes", "socket", "subprocess", "mmap", "multiprocessing", "_posixsubprocess")
@pytest.mark.attack
@pytest.mark.parametrize("name", sorted({*OTHERS[::10], *TRIED}))
def test_no_other_module_can_be_imported(warm, name):
    result = warm.run("01", f"import {name}")
    assert result["status"] == 86, result
    assert result["report"][0]["operator"] == f"import {name}"


@pytest.mark.attack
@pytest.mark.parametrize("name", ["sympy", "torchgen", "_testcapi", "_ctypes_test"])
def test_importlib_imports_no_other_module_either(warm, name):
    result = warm.run("01", f"import importlib\nimportlib.import_module({name!r})")
    assert result["status"] == 86, result


# Packages, single files, and modules of packages that the process has loaded in part.
UNLOADED = ["sqlite3", "pdb", "code", "http.server", "xmlrpc.client", "multiprocessing.managers"]


@pytest.mark.attack
@pytest.mark.parametrize("name", UNLOADED)
@pytest.mark.parametrize(
    "way",
    [
        "importlib.import_module({!r})",
        "importlib.__import__({!r})",
        # The audit hook takes code with the file name of torch for torch's own.
        "code = compile('import ' + {!r}, torch.__file__, 'exec')\n"
        "exec(code, {{'__builtins__': vars(torch)['__builtins__']}})",
    ],
    ids=["import_module", "__import__", "file name of torch"],
)
def test_no_way_loads_an_unlisted_module_of_the_standard_library(warm, way, name):
    result = warm.run("01", f"import importlib, torch\n{way.format(name)}")
    assert result["status"] == 86, result
    # The whole package may be hidden.
    assert f"/{name.partition('.')[0]}" in result["report"][0]["operator"], result


@pytest.fixture(scope="module")
def prepared(warm):
    """What is loaded and what is hidden where a problem bans something."""
    # Short, because a pipe takes it all: names of modules, and files of the standard library.
    driver = f"""
print(bans.sys.modules['json'].dumps([
    {{name: file[{len(LIBRARY)}:] for name, each in bans.sys.modules.items()
     if (file := getattr(each, '__file__', None) or '').startswith({LIBRARY!r})}},
    [each[{len(LIBRARY)}:] for each in bans.hidden_paths() if each.startswith({LIBRARY!r})],
]))
"""
    result = warm.run("01", "", driver)
    assert result["status"] == 0, result
    modules, hidden = json.loads(result["output"])
    return modules, set(hidden)


def is_hidden(path, hidden):
    return any(path == each or path.startswith(f"{each}/") for each in hidden)


def test_of_the_standard_library_all_that_is_neither_listed_nor_loaded_is_hidden(prepared):
    modules, hidden = prepared
    readable = {*TABLE["importable"], *TABLE["readable"]}
    packages = {
        "",
        *(str(each.parent.relative_to(LIBRARY)) for each in Path(LIBRARY).rglob("__init__.py")),
    }
    left = set()
    # Debian's Python has two names for one file.
    loaded = {Path(LIBRARY, file).resolve() for file in modules.values()}
    for path in Path(LIBRARY).rglob("*.py"):
        parts = path.relative_to(LIBRARY).with_suffix("").parts
        folders = {"/".join(parts[:number]) for number in range(1, len(parts))}
        name = ".".join(parts).removesuffix(".__init__")
        is_loaded = name in modules or path.resolve() in loaded
        if folders <= packages and parts[0] not in readable and not is_loaded:
            if not is_hidden(str(path.relative_to(LIBRARY)), hidden):
                left.add(name)
    assert left == set()
    assert {"pdb.py", "sqlite3", "http/server.py"} <= hidden


def test_no_file_of_a_loaded_module_is_hidden(prepared):
    """A traceback reads the lines of the files that it names."""
    modules, hidden = prepared
    assert [file for file in modules.values() if is_hidden(file, hidden)] == []


# Of other systems, of a program that a module also is, and in place of an extension module.
NOT_NEEDED = {
    "_osx_support", "_py_abc", "_pydatetime", "_pydecimal", "_threading_local", "doctest", "getopt",
    "pdb", "pydoc", "smtplib",
    "sqlite3",  # torch.autograd.profiler reads traces of nvprof by it
}  # fmt: skip


@pytest.mark.full
def test_what_listed_modules_and_torch_import_lazily_is_loaded(prepared):
    modules, hidden = prepared
    files = [
        Path(LIBRARY, file)
        for name, file in modules.items()
        if file.endswith(".py") and name.partition(".")[0] in TABLE["importable"]
    ]
    allowed = surface.Allowed(ALLOWED, str(Path(torch.__file__).parent))
    files += [
        path for path in Path(torch.__file__).parent.rglob("*.py") if allowed.has_file(str(path))
    ]
    assert len(files) > 300
    missing = {
        name
        for file in files
        for name in _named(file)
        if is_hidden(f"{name.replace('.', '/')}.py", hidden)
        or is_hidden(name.replace(".", "/"), hidden)
    }
    assert missing - NOT_NEEDED == set()


@pytest.mark.parametrize(
    "source",
    [
        "import datetime\nassert datetime.datetime.strptime('2026', '%Y').year == 2026",
        "assert 'ä'.encode('cp1252') == b'\\xe4' and 'ä'.encode('idna') == b'xn--4ca'",
        "import concurrent.futures as c\nassert c.ProcessPoolExecutor",
        "import warnings\nwarnings.warn('w', ResourceWarning, source=object())",
        "import unittest\nassert unittest.IsolatedAsyncioTestCase",
        "import logging.config, logging.handlers, json.tool, graphlib",
        "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.format_exc()",
        "import inspect, statistics\nassert 'def mean' in inspect.getsource(statistics)",
    ],
)
def test_what_a_listed_module_needs_later_still_works(warm, source):
    result = warm.run("01", source)
    assert result["status"] == 0, result


@pytest.mark.attack
def test_what_lies_beside_torch_is_not_in_sys_modules(warm):
    source = (
        "import sys\nfor name in sys.modules:\n"
        "    assert name.partition('.')[0] not in ('sympy', 'mpmath', 'triton', 'torchgen'), name"
    )
    assert warm.run("01", source)["status"] == 0


def test_a_name_that_is_nowhere_is_a_typing_mistake(warm):
    result = warm.run("01", "import nupmy")
    assert result["report"] == []
    assert "ModuleNotFoundError: No module named 'nupmy'" in result["output"]


def test_where_nothing_is_banned_every_module_can_be_imported(warm):
    result = warm.run("06", "import sympy, mmap, subprocess")
    assert result["status"] == 0, result


def test_right_answers_import_listed_modules() -> None:
    allowed = {*TABLE["importable"], "kernel"}
    # A problem of several processes does not limit what is imported.
    folders = [
        each.path
        for each in shipped_bank()
        if each.spec.entry.kind not in (Kind.DISTRIBUTED, Kind.SCRIPT, Kind.LOADER)
    ]
    assert len(folders) > 20
    for folder in folders:
        for pattern in ("good/*.py", "solution*.py"):
            for path in folder.glob(pattern):
                assert _imported(path) <= allowed, path


def _imported(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in _named(path)}


def _named(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found
