"""What cannot be run is refused before anything is started."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from torchstone.doctor.capture.plan import Plan
from torchstone.doctor.refusal import Refusal

pytestmark = pytest.mark.pure


def refused(plan: Plan) -> str:
    with pytest.raises(Refusal) as caught:
        plan.check()
    assert caught.value.message("en") != caught.value.message("zh")
    assert caught.value.hint("en")
    return caught.value.code


def test_a_program_is_accepted_with_words_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("import sys\n")
    Plan(script=str(path), words=("--steps", "-1")).check()
    Plan(script="package.train", is_module=True).check()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "script_empty"),
        (b" \n", "script_empty"),
        (b"#!/bin/sh\necho $1 &&\n", "script_syntax"),
        (b"x = 1\0", "script_syntax"),
        (b"\x7fELF\x02\x01\xff\xfe", "script_syntax"),
        (b"# coding: klingon\n", "script_syntax"),
        (b"(" * 100_000, "script_syntax"),
        (b'{"traceEvents": [', "script_syntax"),
    ],
)
def test_what_is_no_python_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert refused(Plan(script=str(path))) == code


def test_a_path_without_a_program_is_refused_for_its_reason(tmp_path: Path) -> None:
    assert refused(Plan(script=str(tmp_path / "none.py"))) == "script_missing"
    assert refused(Plan(script=str(tmp_path))) == "script_folder"
    assert refused(Plan(script="a\0b")) == "script_missing"
    assert refused(Plan(script="/dev/null")) == "script_no_file"
    (tmp_path / "file").write_text("x")
    assert refused(Plan(script=str(tmp_path / "file" / "train.py"))) == "script_missing"
    assert refused(Plan(script="n" * 5000)) == "script_unreadable"


@pytest.mark.parametrize(
    "options",
    [{"steps": 0}, {"steps": 101}, {"num_ranks": 0}, {"num_ranks": 65}],
)
def test_a_number_out_of_its_range_is_refused(options: dict[str, int]) -> None:
    assert refused(Plan(script="m", is_module=True, **options)) == "out_of_range"


@pytest.mark.parametrize("limit", [0.0, -1.0, math.nan, math.inf])
def test_a_limit_out_of_its_range_is_refused(limit: float) -> None:
    assert refused(Plan(script="m", is_module=True, limit_s=limit)) == "limit_range"
