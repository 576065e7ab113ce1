"""Passes end when enough was seen."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from torchstone.doctor.capture.orders import RESULT, Orders, Timed
from torchstone.doctor.capture.watch import Watch, num_steps

pytestmark = pytest.mark.pure


class Ended(BaseException):
    pass


def test_of_long_steps_three_are_recorded() -> None:
    assert num_steps(5, 1e3) == 5
    assert num_steps(5, 3e6) == 3
    assert num_steps(2, 3e6) == 2


def test_a_program_that_never_imports_torch_is_told_so(tmp_path: Path) -> None:
    watch = Watch(Orders(script="x", words=[], is_module=False, folder=str(tmp_path)), Ended)
    watch.finish()
    told = msgspec.json.decode((tmp_path / RESULT).read_bytes(), type=Timed)
    assert (told.has_torch, told.how, told.is_enough) == (False, "whole", False)


def test_a_result_is_told_once(tmp_path: Path) -> None:
    watch = Watch(Orders(script="x", words=[], is_module=False, folder=str(tmp_path)), Ended)
    watch.tell_no_module()
    watch.finish()
    told = msgspec.json.decode((tmp_path / RESULT).read_bytes(), type=Timed)
    assert told.no_module
