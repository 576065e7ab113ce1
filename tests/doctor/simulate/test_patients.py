"""All patients in five forms: the accounting is the truth, and disease and line are found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.doctor.simulated import WHOLE
from torchstone.doctor.case import make_case
from torchstone.doctor.rank import rank
from torchstone.doctor.read.run import read_run
from torchstone.doctor.report import diagnose, places_of
from torchstone.doctor.simulate import PATIENTS, Form, shares_of, write_trace
from torchstone.doctor.simulate.patients import healthy_step

pytestmark = pytest.mark.pure

FORMS = [
    Form(),
    Form(times="string", frames=False),
    Form(times="int", shapes=False),
    Form(schema="old", times="int", shapes=False),
    Form(schema="old", frames=False),
]
# In files without frames a long stretch of Python is no line's.
FRAMES = {"preparation"}


@pytest.mark.full
@pytest.mark.parametrize("name", PATIENTS)
def test_shares_are_the_truth_in_each_form(name: str, tmp_path: Path) -> None:
    (recording, *_) = PATIENTS[name].record(quantum_ns=WHOLE)
    card = PATIENTS[name].form
    for at, form in enumerate(FORMS):
        path = tmp_path / f"{at}.json"
        form = replace(form, vendor=card.vendor, device=card.device, capability=card.capability)
        write_trace(recording, path, form)
        (read,) = read_run([path]).ranks
        case = make_case(read.events, read.device)
        assert case is not None
        assert case.accounting.shares == pytest.approx(
            shares_of(recording, hidden=form.hidden), abs=1e-9
        )
        assert case.launches.found == 1.0
        first = rank(case)[0]
        if form.frames or name not in FRAMES:
            code, is_healthy = PATIENTS[name].code, PATIENTS[name].code == "TS-H001"
            # Without shapes nothing says whether the kernels are as fast as they can be.
            assert first.code == ("TS-U001" if is_healthy and not form.shapes else code), form
            assert first.confidence >= 0.5 or first.code == "TS-U001"


@pytest.mark.parametrize("name", [name for name, each in PATIENTS.items() if each.line])
def test_the_planted_line_is_told(name: str, tmp_path: Path) -> None:
    patient = PATIENTS[name]
    path = tmp_path / "trace.json"
    write_trace(patient.record()[0], path, patient.form)
    (read,) = read_run([path]).ranks
    case = make_case(read.events, read.device)
    assert case is not None
    place = places_of(case, rank(case)[0])[0]
    assert f"{place.file}({place.line}): {place.function}" == patient.line
    assert place.share > 0.5


@pytest.mark.gate("l*", "h*")
@pytest.mark.parametrize("name", PATIENTS)
def test_reports_can_be_written_in_both_languages(name: str, tmp_path: Path) -> None:
    patient = PATIENTS[name]
    paths = []
    for recording in patient.record():
        paths.append(tmp_path / f"{recording.rank}.json")
        write_trace(recording, paths[-1], patient.form)
    english, chinese = diagnose(paths, "en"), diagnose(paths, "zh")
    assert english["verdict"] == chinese["verdict"] == patient.code
    assert english["source"]["ranks"] == len(patient.ranks)
    assert english["findings"][0]["title"] != chinese["findings"][0]["title"]


def test_a_healthy_patient_has_no_finding_that_is_sure(tmp_path: Path) -> None:
    for name in (name for name, each in PATIENTS.items() if each.code == "TS-H001"):
        path = tmp_path / f"{name}.json"
        write_trace(PATIENTS[name].record()[0], path, PATIENTS[name].form)
        others = [each for each in diagnose([path], "en")["findings"] if each["code"] != "TS-H001"]
        assert all(each["confidence"] < 0.5 for each in others)


def test_a_step_has_a_forward_and_a_backward_pass() -> None:
    assert len(healthy_step()) == 5
