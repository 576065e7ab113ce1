"""A program is run as Python itself would run it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from torchstone.doctor.capture.child import Enough, after_import

pytestmark = pytest.mark.pure


def test_a_function_is_called_once_a_module_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "imported_late.py").write_text("VALUE = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    seen: list[int] = []
    after_import("imported_late", lambda: seen.append(sys.modules["imported_late"].VALUE))
    assert seen == []
    importlib.import_module("imported_late")
    importlib.import_module("imported_late")

    assert seen == [3]
    # It is there already.
    after_import("imported_late", lambda: seen.append(4))
    assert seen == [3, 4]
    del sys.modules["imported_late"]


def test_a_module_that_is_not_there_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    after_import("imported_never", lambda: pytest.fail("it is not there"))
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("imported_never")


def test_what_ends_a_program_is_no_exception_that_programs_catch() -> None:
    assert not issubclass(Enough, Exception)
