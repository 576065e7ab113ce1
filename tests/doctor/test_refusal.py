"""Refusals: each has a sentence and a hint in both languages."""

from __future__ import annotations

import copy
import pickle

import pytest

from torchstone.core.i18n import LANGS, catalogue
from torchstone.doctor.refusal import Refusal

pytestmark = pytest.mark.pure

VALUES = {
    "file": "a.json",
    "endings": ".html, .svg",
    "part": "gap",
    "reason": "no",
    "ratio": 400,
    "most": 8,
    "came": "x",
    "near": "TS-D001",
    "command": "c",
    "script": "train.py",
    "module": "package.train",
    "status": 1,
    "signal": "SIGKILL",
    "words": "boom",
    "line": 3,
    "limit": 900.0,
    "steps": 2,
    "world": 4,
    "option": "--steps",
    "least": 1,
    "folder": "out",
}
CODES = sorted(
    {key.split(".")[2] for key in catalogue("doctor", "en") if key.startswith("doctor.refusal.")}
)


@pytest.mark.parametrize("code", CODES)
def test_each_refusal_says_what_and_what_to_do(code: str) -> None:
    refusal = Refusal(code, **VALUES)
    for lang in LANGS:
        assert refusal.message(lang)
        assert refusal.hint(lang)
    assert refusal.message("en") != refusal.message("zh")


def test_a_refusal_is_copied_with_its_values() -> None:
    refusal = Refusal("no_file", file="a.json")
    for again in (copy.copy(refusal), pickle.loads(pickle.dumps(refusal))):
        assert (again.code, again.values) == ("no_file", {"file": "a.json"})
        assert str(again) == str(refusal)
