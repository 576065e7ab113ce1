"""The commands of the x-ray: trees, tables and comparisons, in both languages and as JSON."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from torchstone.app.programs import xray

pytestmark = pytest.mark.pure

KEYS = ["CPU", "ADInplaceOrView", "AutogradCPU", "AutocastCPU"]


def node(op: str, key: str, kernel: str, *children: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "op": op,
        "key": key,
        "kernel": kernel,
        "alias": None if kernel == key else kernel,
        "opaque": None,
        "line": 4,
        "args": [],
        "tls": {"include": [], "exclude": []},
        "registered": "build/aten/src/ATen/RegisterCPU_2.cpp:3928",
        "skipped": [],
        "children": list(children),
        "raised": None,
        "stops": 1 + sum(child["stops"] for child in children),
    } | more


def scene(*calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "schema": 1,
        "torch": "2.13.0",
        "scene": "dispatch",
        "source": {"file": "net.py", "sha256": "0" * 64, "lines": 5},
        "state": "live",
        "why": None,
        "fidelity": {"compared": 2, "equal": 2},
        "deterministic": True,
        "truncated": {},
        "not_followed": [],
        "raised": None,
        "stdout": {"text": "", "bytes": 0},
        "calls": list(calls),
        "stops": sum(call["stops"] for call in calls),
        "modes": {},
    } | more


ARGUMENT = {
    "name": "self",
    "shape": [3, 4],
    "dtype": "float32",
    "stride": [4, 1],
    "keys": KEYS,
}
RELU = node(
    "aten::relu",
    "AutogradCPU",
    "Autograd",
    node("aten::relu", "CPU", "CPU", node("aten::clamp_min", "CPU", "CPU")),
    args=[ARGUMENT],
)
SIN = node("aten::sin", "CPU", "CPU", skipped=["ADInplaceOrView"], line=5)


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "net.py"
    path.write_text("import torch\n")
    return str(path)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the sandbox answers, an answer a question."""
    found: list[dict[str, Any]] = []

    def ask(order: dict[str, Any], **_: Any) -> Iterator[dict[str, Any]]:
        yield found.pop(0)

    monkeypatch.setattr(xray, "_ask", ask)
    return found


def test_a_tree_has_an_operator_a_line_with_its_key(
    run: Run, program: str, answers: list[dict[str, Any]]
) -> None:
    answers += [scene(RELU, SIN)]
    drawn = run("xray", program)
    assert drawn.code == 0
    lines = drawn.out.splitlines()
    assert lines[0].split() == ["net.py", "dispatch", "tree", "·", "torch", "2.13.0"]
    assert "2 of 2 tensors equal those of the plain run, bit for bit." in lines[1]
    assert [line.split() for line in lines if "relu" in line] == [
        ["relu", "AutogradCPU", "→", "Autograd"],
        ["└", "relu", "CPU"],
    ]
    assert "AutocastCPU AutogradCPU ADInplaceOrView CPU" in drawn.out
    # Computed, not observed: dashed.
    assert "┄ADInplaceOrView" in next(line for line in lines if "sin" in line)
    assert max(map(len, lines)) <= 78


def test_the_same_in_chinese_and_as_json(
    run: Run, program: str, answers: list[dict[str, Any]]
) -> None:
    answers += [scene(RELU), scene(RELU)]
    assert "第 4 行" in run("xray", program, "--lang", "zh").out
    answer = run("xray", program, "--json").json
    assert answer["ok"] is True
    assert answer["calls"] == [RELU]


def test_calls_of_a_loop_are_drawn_once(
    run: Run, program: str, answers: list[dict[str, Any]]
) -> None:
    answers += [scene(*[SIN] * 7)]
    (line,) = [line for line in run("xray", program).out.splitlines() if "sin" in line]
    assert line.endswith("×7")


def test_what_is_left_out_and_what_went_wrong_is_said(
    run: Run, program: str, answers: list[dict[str, Any]]
) -> None:
    answers += [
        scene(
            SIN,
            state="static",
            why="torch._C._dispatch_keys",
            fidelity={"compared": 2, "equal": 1},
            truncated={"stops": 80_000},
            not_followed=[{"what": "threads", "count": 2}],
            raised={"type": "ValueError", "message": "no", "line": 5},
        )
    ]
    drawn = run("xray", program)
    assert drawn.code == 1
    words = " ".join(drawn.out.split())
    for part in (
        "lacks torch._C._dispatch_keys",
        "do not trust this scene",
        "80000 more stops are not shown",
        "Not followed: 2 threads",
        "raised ValueError in line 5: no",
    ):
        assert part in words


def test_a_difference_is_what_went_and_what_came(
    run: Run, program: str, answers: list[dict[str, Any]], tmp_path: Path
) -> None:
    kept = tmp_path / "before.json"
    kept.write_text(json.dumps({"ok": True, **scene(RELU, SIN)}))
    answers += [scene(SIN, SIN), scene(SIN)]
    found = run("xray", "diff", kept, program, "--json").json
    assert (found["before"]["stops"], found["after"]["stops"]) == (4, 2)
    assert found["added"] == [{"op": "aten::sin", "key": "CPU", "kernel": "CPU", "count": 1}]
    assert len(found["removed"]) == 3
    assert "- aten::relu" in run("xray", "diff", kept, program).out


def test_files_that_are_no_program_and_no_scene_are_refused(run: Run, tmp_path: Path) -> None:
    assert run("xray", tmp_path / "none.py").code == 2
    (tmp_path / "odd.json").write_text("[]")
    refused = run("xray", "diff", tmp_path / "odd.json", tmp_path / "odd.json")
    assert (refused.code, "is not a scene" in refused.err) == (2, True)
    (tmp_path / "empty.py").write_text("")
    refused = run("xray", tmp_path / "empty.py", "--scene", "dispach", "--lang", "zh")
    assert (refused.code, "没有场景 dispach" in refused.err) == (2, True)


def test_a_table_has_the_key_that_is_asked_first_on_top(
    run: Run, answers: list[dict[str, Any]]
) -> None:
    rows = [
        {"key": "AutogradCPU", "fallthrough": False, "registered": "a/V.cpp:1", "kind": "kernel"},
        {"key": "BackendSelect", "fallthrough": True, "registered": "a/B.cpp:3", "kind": ""},
    ]
    found = {"schema": 1, "op": "aten::relu", "signature": "relu(Tensor)", "overloads": []}
    answers += [found | {"rows": rows}] * 2
    lines = run("xray", "table", "relu").out.splitlines()
    assert [line.split() for line in lines if ".cpp" in line] == [
        ["AutogradCPU", "kernel", "V.cpp:1"],
        ["BackendSelect", "fallthrough", "B.cpp:3"],
    ]
    assert run("xray", "table", "relu", "--json").json["rows"] == rows


def test_the_selftest_says_how_many_programs_agree(run: Run, answers: list[dict[str, Any]]) -> None:
    programs = [{"program": "linear", "equal": False, "stops": 20}]
    common = {"schema": 1, "torch": "2.13.0", "supported": {}}
    answers += [common | {"programs": programs, "compared": 1, "equal": 0}] * 2
    failed = run("xray", "selftest")
    assert (failed.code, "0 of 1 programs" in failed.out) == (1, True)
    assert run("xray", "selftest", "--json").json["ok"] is False


def test_a_picture_has_a_row_for_each_stop(
    run: Run, program: str, answers: list[dict[str, Any]], tmp_path: Path
) -> None:
    answers += [scene(RELU, SIN)]
    run("xray", program, "--svg", tmp_path / "drawn")
    drawn = (tmp_path / "drawn/dispatch.svg").read_text()
    root = ElementTree.fromstring(drawn)
    assert sum(each.tag.endswith("circle") for each in root.iter()) == 4
    assert "clamp_min" in drawn


OTHERS: dict[str, dict[str, Any]] = {
    "graph": {
        "nodes": [
            {
                "id": 0, "name": "ExpBackward0", "seq": 1, "leaf": None, "module": "net.0",
                "line": 3, "inputs": [[4]], "scalars": {}, "next": [[1, 0]],
                "saved": {
                    "result": {
                        "state": "live", "shape": [4], "dtype": "float32", "bytes": 16,
                        "storage": "s0", "storage_bytes": 16, "is_parameter": False,
                        "version_saved": 0, "version_now": 0,
                    },
                    "self": {
                        "state": "modified", "words": "modified by an inplace operation",
                        "shape": None, "dtype": None, "bytes": None, "storage": None,
                        "storage_bytes": None, "is_parameter": False,
                        "version_saved": 0, "version_now": 1,
                    },
                },
            },
            {
                "id": 1, "name": "AccumulateGrad", "seq": None, "leaf": "x", "module": None,
                "line": None, "inputs": [[4]], "scalars": {}, "next": [], "saved": {},
            },
        ],
        "edges": [[0, 0, 1, 0]],
        "order": [0, 1],
        "totals": {"saved_bytes": 16, "distinct_bytes": 16, "activation_bytes": 16},
    },
    "storage": {
        "storages": [
            {
                "id": "s0", "bytes": 24, "resizable": True, "shared": False, "cow": False,
                "views": [
                    {
                        "name": name, "shape": [2, 3], "stride": stride, "offset": 0,
                        "dtype": "float32", "contiguous": True, "base": None, "is_view": False,
                        "version": 1, "conj": False, "neg": False, "overlaps": False,
                        "cells": cells,
                    }
                    for name, stride, cells in (
                        ("x", [3, 1], [0, 1, 2, 3, 4, 5]), ("t", [1, 3], [0, 3, 1, 4, 2, 5])
                    )
                ],
            }
        ],
        "opaque": [{"name": "sparse", "why": "sparse_coo"}],
        "timeline": [
            {"line": 3, "event": "write", "op": "aten.add_.Tensor", "storage": "s0", "version": 1}
        ],
    },
    "memory": {
        "events": [
            {
                "i": i, "bytes": size, "now": now, "op": "aten.zeros.default", "module": "net",
                "phase": "forward", "line": 2,
            }
            for i, (size, now) in enumerate([(2048, 2048), (2048, 4096), (-2048, 2048)])
        ],
        "peak": {
            "bytes": 4096, "i": 1,
            "alive": [
                {
                    "i": 0, "bytes": 2048, "now": 2048, "op": "aten.zeros.default",
                    "module": "net", "phase": "forward", "line": 2,
                }
            ],
        },
        "allocator": {"peak_bytes": 8192, "inside_kernels_bytes": 4096},
        "phases": {"forward": 4096, "backward": 0, "step": 0},
    },
    "compile": {
        "graphs": [
            {
                "id": "0/0", "frame": "f", "line": 4, "dynamo": "d", "pre_grad": None,
                "joint": "j", "forward": "f", "backward": "b", "post_grad": [],
                "kernels": [
                    {"name": "cpp_fused_0", "stage": "forward", "code": "", "nodes": ["sin"],
                     "lines": [5]}
                ],
                "guards": [], "metrics": {}, "nodes": [{"name": "y", "line": 5}],
            }
        ],
        "breaks": [
            {"line": 6, "reason": "print", "explanation": "No.", "hints": ["Do not."],
             "gb": "gb0059", "count": 2}
        ],
        "recompiles": [{"line": 4, "guard": "size mismatch", "was": "3", "now": "5"}],
        "map": [{"line": 5, "nodes": ["0/0:y"], "kernels": ["0/0:cpp_fused_0"]}],
    },
}  # fmt: skip
SAID = {
    "graph": ("ExpBackward0", "net.0 :3", "16 B", "modified", "was changed after it was saved"),
    "storage": ("s0 24 B", "t 0 2 4 1 3 5", "sparse (sparse_coo)", "aten.add_.Tensor writes to s0"),
    "memory": ("Peak by tensors: 4 KiB", "inside kernels: 4 KiB", "zeros", "forward 4 KiB"),
    "compile": (
        "dynamo → joint → forward → backward → kernels", "cpp_fused_0 forward ← :5",
        "Graph break in line 6: print gb0059 ×2", "was 3, now 5", ":5 y → cpp_fused_0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", OTHERS)
def test_each_scene_is_drawn_as_text_and_as_a_picture(
    kind: str, run: Run, program: str, answers: list[dict[str, Any]], tmp_path: Path
) -> None:
    whole = {k: v for k, v in scene().items() if k not in ("calls", "stops", "modes")}
    whole |= {"scene": kind} | OTHERS[kind]
    answers += [whole, whole, whole]
    drawn = run("xray", program, "--scene", kind, "--svg", tmp_path)
    words = " ".join(drawn.out.split())
    assert [each for each in SAID[kind] if each not in words] == []
    assert max(map(len, drawn.out.splitlines())) <= 80
    ElementTree.parse(tmp_path / f"{kind}.svg")
    assert run("xray", program, "--scene", kind, "--json").json[next(iter(OTHERS[kind]))]
    assert run("xray", program, "--scene", kind, "--lang", "zh").code == 0
