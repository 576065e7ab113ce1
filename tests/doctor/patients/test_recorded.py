"""Small sick programs are recorded and diagnosed; their cured twins are left in peace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from tests.doctor.patients import exchange, habits, healthy, loading, loops  # noqa: E402
from tests.doctor.patients.recorded import Patient, Step, record  # noqa: E402
from torchstone.doctor.case import Case, make_case  # noqa: E402
from torchstone.doctor.findings import Finding  # noqa: E402
from torchstone.doctor.rank import rank  # noqa: E402
from torchstone.doctor.read.run import read_run  # noqa: E402
from torchstone.doctor.report import places_of  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.full]

PATIENTS = [*loading.PATIENTS, *loops.PATIENTS, *habits.PATIENTS]
# Another program may take the cores while one is recorded: then it is recorded again.
TRIES = 3
SURE = 0.5


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def case_of(*paths: Path) -> Case:
    made = [
        make_case(each.events, each.device, rank=each.rank) for each in read_run(list(paths)).ranks
    ]
    first, *others = [each for each in made if each is not None]
    return replace(first, others=tuple(others))


def recorded(make: Callable[[], Step], path: Path, num_steps: int) -> tuple[Case, list[Finding]]:
    record(make, path, num_steps=num_steps)
    case = case_of(path)
    return case, rank(case)


def sure(findings: list[Finding]) -> list[str]:
    """The codes of what a healthy program must not be accused of."""
    return [each.code for each in findings if each.confidence >= SURE and each.code != "TS-H001"]


@pytest.mark.parametrize("patient", PATIENTS, ids=lambda patient: patient.name)
def test_a_sick_program_is_named_with_its_function(patient: Patient, tmp_path: Path) -> None:
    told = []
    for at in range(TRIES):
        case, found = recorded(patient.sick, tmp_path / f"{at}.json", patient.num_steps)
        places = places_of(case, found[0])
        where = places[0].function if places else ""
        told.append((found[0].code, where))
        if found[0].code == patient.code and where in (patient.functions or ("",)):
            return
    raise AssertionError(f"expected {patient.code} in {patient.functions}; came {told}")


@pytest.mark.parametrize(
    ("make", "num_steps"),
    [
        *(
            pytest.param(patient.cured, patient.num_steps, id=f"{patient.name} cured")
            for patient in PATIENTS
        ),
        *(pytest.param(each, 5, id=each.__name__) for each in healthy.HEALTHY),
    ],
)
def test_a_healthy_program_is_not_accused(
    make: Callable[[], Step], num_steps: int, tmp_path: Path
) -> None:
    told = []
    for at in range(TRIES):
        told.append(sure(recorded(make, tmp_path / f"{at}.json", num_steps)[1]))
        if not told[-1]:
            return
    raise AssertionError(f"accused of {told}")


def test_two_ranks_are_told_what_their_exchanges_lack(tmp_path: Path) -> None:
    exchange.run(exchange.PAIRS, tmp_path)
    for pair in exchange.PAIRS:
        case = case_of(*(tmp_path / f"{pair.name}.{rank}.json" for rank in range(2)))
        found = [each.code for each in rank(case)]
        if pair.code != "TS-C003":
            # Beside other programs a rank may be late for real, which is told first then.
            found = [code for code in found if code != "TS-C003"]
        assert found[:1] == [pair.code], pair.name
