"""Findings: what a rule says, and what it leaves to the ranking."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from torchstone.doctor import rules
from torchstone.doctor.case import all_thresholds
from torchstone.doctor.findings import BOTTLENECKS, Finding

pytestmark = pytest.mark.pure

FILES = sorted(Path(str(rules.__file__)).parent.glob("[a-z]*.py"))


def test_a_finding_has_no_confidence_of_its_own_and_does_not_change() -> None:
    found = Finding(code="TS-D001", bottleneck="loading", share=0.5, recoverable=0.5, margin=5)
    assert (found.confidence, found.evidence, found.times, found.fix) == (0.0, {}, None, None)
    with pytest.raises(FrozenInstanceError):
        found.share = 0.1  # type: ignore[misc]


def test_bottlenecks_have_one_name_each() -> None:
    assert len(set(BOTTLENECKS)) == len(BOTTLENECKS) == 10


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_rule_names_bottlenecks_and_thresholds_that_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for line in re.findall(r"bottleneck=(.*),\n", text):
        assert set(re.findall(r'"(\w+)"', line)) <= set(BOTTLENECKS)
    codes = set(re.findall(r'thresholds\("(\w+)"\)', text))
    assert codes <= set(all_thresholds())
