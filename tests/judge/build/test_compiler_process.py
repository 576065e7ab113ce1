"""What is built of a submission, what is refused, and whose lines a report names."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.shipped import shipped_bank
from torchstone.cudasim.toolchain import Build, find_toolchain
from torchstone.judge.assignment import assignment_of
from torchstone.judge.build.compiler_process import CompilerProcess, first_nvcc_error
from torchstone.judge.build.objects import read_symbols

pytestmark = pytest.mark.cudasim

PROBLEM = shipped_bank().get("42")
NATIVE = assignment_of(PROBLEM).native
assert NATIVE is not None
CONTRACT, LAUNCHER = NATIVE.contract, NATIVE.launcher
SOLUTION = PROBLEM.solution.source


@pytest.fixture(scope="module")
def launcher(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    worker = CompilerProcess(find_toolchain(), tmp_path_factory.mktemp("launcher"))
    return worker.prepare({"contract": CONTRACT, "launcher": LAUNCHER})


@pytest.fixture
def worker(tmp_path: Path) -> CompilerProcess:
    return CompilerProcess(find_toolchain(), tmp_path)


def order(source: str, launcher: dict[str, bytes], **changes: Any) -> dict[str, Any]:
    return {
        "source": source,
        "contract": CONTRACT,
        "launcher": launcher,
        "calls": [],
        "entries": ["add_forward", "add_backward"],
        "ask_nvcc": False,
    } | changes


def test_a_submission_is_built_twice_and_asks_for_nothing_but_the_simulator(
    worker: CompilerProcess, launcher: dict[str, bytes], tmp_path: Path
) -> None:
    modules = worker.build(order(SOLUTION, launcher))["built"]
    assert set(modules) == {build.value for build in Build}
    for build in Build:
        assert modules[build.value] == worker.module_path(build).read_bytes()
        asked = read_symbols((tmp_path / f"kernel.{build.value}.o").read_bytes()).undefined
        assert {"fork", "open", "write", "system"}.isdisjoint(asked)


@pytest.mark.parametrize(
    ("source", "code", "key", "line"),
    [
        ("\n#include <cstdio>\n", "CE", "include", 2),
        ("int x;\n\nint y = 08;\n", "CE", "compiler", 3),
        ("void f() { __asm__(\"\"); }\n", "CE", "word", 1),
        ("void f() {\n    cudaDeviceSynchronize();\n}\n", "FORBIDDEN_OP", "cuda_call", 2),
        ("extern \"C\" int fork();\nint child = fork();\n", "FORBIDDEN_OP", "symbol", 0),
        ("extern \"C\" void* malloc(unsigned long) { return nullptr; }\n", "FORBIDDEN_OP",
         "symbol", 0),
        ("__global__ void other(int) {}\n", "CE", "entry", 0),
        ("\n__global__ void add_forward(int) {}\n", "CE", "entry", 2),
        ("extern \"C\" __global__ void add_forward(int) {}\n", "CE", "compiler", 1),
        ("/* never ended", "CE", "compiler", 1),
    ],
)  # fmt: skip
def test_what_is_refused_is_named_with_its_line(
    worker: CompilerProcess, launcher: dict[str, bytes], source: str, code: str, key: str, line: int
) -> None:
    reply = worker.build(order(source, launcher))
    assert "built" not in reply
    assert (reply["refused"], reply["key"], reply["line"]) == (code, key, line), reply["word"]


def test_a_macro_of_the_submission_reaches_neither_contract_nor_launcher(
    worker: CompilerProcess, launcher: dict[str, bytes]
) -> None:
    source = f"#define alpha beta\n#define launch add_forward\n{SOLUTION}"
    assert "built" in worker.build(order(source, launcher))


def test_a_function_that_nobody_defines_is_told_as_such(
    worker: CompilerProcess, launcher: dict[str, bytes]
) -> None:
    source = f"{SOLUTION}\n__device__ float helper(float);\n"
    used = source.replace("alpha * b[", "helper(alpha) * b[")
    assert used != source
    reply = worker.build(order(used, launcher))
    assert reply["refused"] in ("CE", "FORBIDDEN_OP")
    assert "helper" in reply["word"]


def test_whatever_file_a_hostile_report_names_only_lines_of_the_submission_are_told(
    worker: CompilerProcess, launcher: dict[str, bytes]
) -> None:
    worker.build(order(SOLUTION, launcher))
    finding = {
        "kind": "RAW", "space": "global", "variable": "", "kernel": "k", "offset": 0,
        "allocation_bytes": 4, "access_bytes": 4, "count": 1, "detail": [],
        "at": {"place": ["/etc/passwd", 4096], "block": [0, 0, 0], "thread": [0, 0, 0],
               "write": False},
        "other": None,
    }  # fmt: skip
    explained = worker.explain(
        {"source": SOLUTION, "build": "check", "findings": [json.dumps([finding])], "counters": []}
    )
    (found,) = explained["found"]
    assert found["en"]["at"]["file"] in (None, "kernel.cu")
    assert "passwd" not in json.dumps(explained)


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (
            'kernel.cu(7): warning: unused\nkernel.cu(9): error: identifier "x" is undefined\n',
            {"line": 9, "word": 'identifier "x" is undefined'},
        ),
        (
            "ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes)\n",
            {"line": 0, "word": "Entry function 'k' uses too much shared data (0x10000 bytes)"},
        ),
        ("nvcc ended with -9", None),
    ],
)
def test_an_error_of_nvcc_is_found_with_and_without_a_line(
    said: str, error: dict[str, object] | None
) -> None:
    assert first_nvcc_error(said) == error
