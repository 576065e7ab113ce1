"""Where something is banned, the listed modules can be imported, and no other one."""

import ast
import sys
import tomllib
from pathlib import Path

import pytest
import torch

from torchstone.bank.loader import CONTENT
from torchstone.judge import native
from torchstone.judge.child.modules import AllowedModules

pytestmark = pytest.mark.torch

TABLE = tomllib.loads((Path(native.__file__).parent / "modules.toml").read_text(encoding="utf-8"))
# Denied by the problem itself, or made when the submission is loaded.
ELSEWHERE = {"numpy", "submission"}
OTHERS = sorted(
    name
    for name in {*sys.stdlib_module_names, "functorch", "jinja2", "mpmath", "sympy", "torchgen"}
    - set(TABLE["importable"])
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
    for pattern in ("good/*.py", "solution*.py"):
        for path in (CONTENT / "problems").glob(f"*/{pattern}"):
            assert _imported(path) <= allowed, path


def _imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found
