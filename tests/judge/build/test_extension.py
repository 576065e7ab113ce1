"""An extension of torch is built from one file that knows nothing but the stable ABI."""

from pathlib import Path

import pytest

from torchstone.cudasim.toolchain import find_toolchain
from torchstone.judge.build.compiler_process import CompilerProcess
from torchstone.judge.build.extension import build_extension
from torchstone.judge.build.refusals import Refused
from torchstone.judge.build.source import CPP_RULES, refuse_includes, refuse_source
from torchstone.judge.build.wheel import Hooks, build_wheel
from torchstone.judge.native.build import torch_folder

HEAD = """#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
using torch::stable::Tensor;
"""
TWICE = """Tensor same(const Tensor& x) { return torch::stable::clone(x); }
STABLE_TORCH_LIBRARY(demo, m) { m.def("same(Tensor x) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(demo, CPU, m) { m.impl("same", TORCH_BOX(&same)); }
"""


def build(folder: Path, source: str) -> bytes:
    return build_extension(find_toolchain(), folder, torch_folder(), source)


def refusal(folder: Path, source: str) -> tuple[str, str, str, int]:
    with pytest.raises(Refused) as caught:
        build(folder, source)
    reply = caught.value.reply
    return reply["refused"], reply["key"], reply["word"], reply["line"]


def test_a_file_becomes_a_library(tmp_path: Path) -> None:
    library = build(tmp_path, HEAD + TWICE)
    assert library.startswith(b"\x7fELF")
    # Whoever registers is asked for the namespace on the way.
    assert b"__wrap_aoti_torch_library_init_def" in library
    assert str(torch_folder()).encode() not in library


def test_what_the_compiler_says_is_said_of_the_line(tmp_path: Path) -> None:
    code, key, word, line = refusal(tmp_path, HEAD + "int f() { return x; }\n")
    assert (code, key, line) == ("CE", "compiler", 5)
    assert "x" in word


@pytest.mark.parametrize(
    "line",
    [
        "#include <torch/extension.h>",
        "#include <ATen/ATen.h>",
        "#include <Python.h>",
        "#include <torch/headeronly/../csrc/api/include/torch/all.h>",
        "#include <fstream>",
        '#include "/etc/passwd"',
        "#define WHICH <vector>\n#include WHICH",
    ],
)
def test_other_headers_are_refused(line: str) -> None:
    found = refuse_source(f"{line}\n{HEAD}", CPP_RULES)
    assert found is not None
    assert (found.code, found.key) == ("CE", "include")


@pytest.mark.parametrize(
    ("code", "symbol"),
    [
        ('extern "C" int aoti_torch_cpu_add_Scalar(); '
         "int f() { return aoti_torch_cpu_add_Scalar(); }", "aoti_torch_cpu_add_Scalar"),
        ('#define JOIN(a, b) a##b\nextern "C" int JOIN(aoti_torch_cpu, _mul)();\n'
         "int f() { return JOIN(aoti_torch_cpu, _mul)(); }", "aoti_torch_cpu_mul"),
        ('extern "C" int aoti_torch_aten_subtract_Tensor(); '
         "int f() { return aoti_torch_aten_subtract_Tensor(); }",
         "aoti_torch_aten_subtract_Tensor"),
        ("namespace at { int add(int); } int f() { return at::add(1); }", "_ZN2at3addEi"),
        ('extern "C" int system(const char*); int f() { return system("true"); }', "system"),
        ('extern "C" void _exit(int); int f() { _exit(0); return 0; }', "_exit"),
        ('extern "C" void* dlopen(const char*, int); '
         'void* f() { return dlopen("a", 1); }', "dlopen"),
        ('extern "C" int PyRun_SimpleString(const char*); '
         'int f() { return PyRun_SimpleString("1"); }', "PyRun_SimpleString"),
        ('extern "C" int __wrap_aoti_torch_library_init_def() { return 0; }',
         "__wrap_aoti_torch_library_init_def"),
    ],
)  # fmt: skip
def test_what_reaches_past_the_abi_is_forbidden_by_its_symbol(
    tmp_path: Path, code: str, symbol: str
) -> None:
    assert refusal(tmp_path, f"{code}\n")[:3] == ("FORBIDDEN_OP", "symbol", symbol)


@pytest.mark.parametrize(
    ("include", "is_refused"),
    [
        ("<torch/csrc/stable/ops.h>", False),
        ("<torch/headeronly/util/Half.h>", False),
        ("<cstdio>", False),
        ('"kernels.h"', False),
        ('"csrc/kernels.h"', False),
        ("<torch/extension.h>", True),
        ("<ATen/core/Tensor.h>", True),
        ("<c10/util/Half.h>", True),
        ('"../../secret.h"', True),
    ],
)
def test_a_package_may_include_the_abi_and_its_own(include: str, *, is_refused: bool) -> None:
    found = refuse_includes(f"#include {include}\n", CPP_RULES, ("csrc/kernels.h", "setup.py"))
    assert (found is not None) == is_refused


PROJECT = """=== pyproject.toml
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "demo"
version = "1.0"
[tool.setuptools]
packages = ["demo"]
=== demo/__init__.py
=== csrc/demo.c
int demo(void) { return 1; }
"""


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("=== pyproject.toml", "=== other.toml", "package_file"),
        ("[build-system]", "[build-system", "package_toml"),
        ("setuptools.build_meta", "hatchling.build", "package_backend"),
        ("[project]", 'backend-path = ["."]\n[project]', "package_backend"),
        ("csrc/demo.c", "csrc/demo.txt", "package_sources"),
        ("int demo", "#include <torch/extension.h>\nint demo", "include"),
        ("=== demo/__init__.py", "=== ../demo/__init__.py", "bundle_path"),
    ],
)
def test_a_package_is_refused_before_anything_of_it_runs(
    tmp_path: Path, old: str, new: str, key: str
) -> None:
    assert old in PROJECT
    with pytest.raises(Refused) as caught:
        build_wheel(tmp_path, torch_folder().parent, PROJECT.replace(old, new))
    assert (caught.value.reply["refused"], caught.value.reply["key"]) == ("CE", key)


def test_a_wheel_is_built_from_what_the_source_distribution_holds(tmp_path: Path) -> None:
    setup = """=== setup.py
from setuptools import Extension, setup
setup(ext_modules=[Extension("demo._C", ["csrc/demo.c"], depends=["csrc/demo.h"])])
"""
    forgotten = (
        PROJECT.replace("int demo", '#include "demo.h"\nint demo') + setup + "=== csrc/demo.h\n"
    )
    with pytest.raises(Refused) as caught:
        build_wheel(
            tmp_path, torch_folder().parent, forgotten.replace(', depends=["csrc/demo.h"]', "")
        )
    assert caught.value.reply["refused"] == "CE"
    assert "demo.h" in caught.value.reply["word"]
    whole = tmp_path / "whole"
    whole.mkdir()
    manifest = "=== MANIFEST.in\ninclude csrc/demo.h\n"
    assert build_wheel(whole, torch_folder().parent, forgotten + manifest).startswith(b"PK")


def test_hooks_that_have_started_build_the_wheel_and_end_with_it(tmp_path: Path) -> None:
    setup = """=== setup.py
from setuptools import Extension, setup
setup(ext_modules=[Extension("demo._C", ["csrc/demo.c"])])
"""
    site = torch_folder().parent
    hooks = Hooks(site, tmp_path)
    assert build_wheel(tmp_path, site, PROJECT + setup, hooks).startswith(b"PK")
    assert hooks._process.poll() is not None


def test_a_backend_that_cannot_be_imported_is_no_fault_of_the_package(tmp_path: Path) -> None:
    nothing, work = tmp_path / "site", tmp_path / "work"
    nothing.mkdir()
    work.mkdir()
    worker = CompilerProcess(find_toolchain(), work, site=nothing)
    reply = worker.build_wheel({"torch": str(torch_folder()), "source": PROJECT})
    assert reply == {"fault": "the build backend ended with status 1"}
