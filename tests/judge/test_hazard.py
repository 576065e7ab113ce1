"""The finding that a verdict comes from is the first one of its kind."""

import msgspec
import pytest

from tests.cli.test_hazard import hazard
from torchstone.core.verdict import Verdict
from torchstone.judge.hazard import Hazard, main_hazard
from torchstone.judge.messages import NativeReport

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("verdict", "figure"),
    [("RACE", "barrier"), ("OOB", "bounds"), ("UNINIT", "unwritten"), ("WA", "unwritten")],
)
def test_the_first_of_its_kind_is_shown(verdict: str, figure: str) -> None:
    found = [hazard(figure=each) for each in ("unwritten", "bounds", "barrier", "race")]
    shown = main_hazard(found, Verdict(verdict))
    assert shown is not None
    assert shown.figure == figure


def test_without_findings_none_is_shown() -> None:
    assert main_hazard([], Verdict.RACE) is None


def test_a_figure_survives_json_and_a_stored_report_has_none() -> None:
    found = hazard()
    assert msgspec.json.decode(msgspec.json.encode(found), type=Hazard) == found
    stored = {"stars": [], "found": [], "drawn": None, "counters": [], "profile": None}
    assert msgspec.convert(stored | {"nvcc": None}, NativeReport).hazards == ()
