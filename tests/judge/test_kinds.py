import pytest

from torchstone.bank.schema import Kind, Starter
from torchstone.core.i18n import LANGS, catalogue
from torchstone.judge.child.bans.bans import PROCESS_EVENTS
from torchstone.judge.kinds import KINDS, LAUNCHES, PLAIN, RUNS, SCRIPT, Row, row_of
from torchstone.judge.sandbox.filters import Filter

pytestmark = pytest.mark.pure


@pytest.fixture(params=[*KINDS.values(), RUNS, LAUNCHES], ids=lambda row: row.server)
def row(request: pytest.FixtureRequest) -> Row:
    found: Row = request.param
    return found


def test_every_kind_has_a_row() -> None:
    assert set(KINDS) == set(Kind)


def test_what_has_processes_is_refused_by_name_where_it_has_no_namespaces(row: Row) -> None:
    assert bool(row.lacks) is row.is_led
    entry = f"{row.lacks}.message"
    assert not row.is_led or all(entry in catalogue("judge", lang) for lang in LANGS)


def test_only_what_is_led_starts_processes_and_talks(row: Row) -> None:
    more = (row.network, row.starts_processes, row.shares_memory, row.is_metered, *row.events)
    assert row.is_led or not any(more)
    assert set(row.events) <= PROCESS_EVENTS
    assert Filter.COMPILER not in (row.filter, row.member)
    assert Filter.REFERENCE not in (row.filter, row.member)


def test_what_is_built_or_has_processes_may_take_longer(row: Row) -> None:
    assert (row.budget_ms > PLAIN.budget_ms) is (row is not PLAIN)


@pytest.mark.parametrize(
    ("has_probe", "started_by", "wanted"),
    [
        (False, Starter.PYTHON, SCRIPT),
        (True, Starter.PYTHON, RUNS),
        (True, Starter.TORCHRUN, LAUNCHES),
    ],
)
def test_a_script_with_a_probe_is_started_again(
    has_probe: bool, started_by: Starter, wanted: Row
) -> None:
    assert row_of(Kind.SCRIPT, has_probe=has_probe, started_by=started_by) is wanted
