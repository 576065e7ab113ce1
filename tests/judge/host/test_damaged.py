"""A host does not judge a program whose stored text is damaged, and says which it is."""

from pathlib import Path

import pytest

from tests.judge.host.stand_ins import StandInPool
from tests.judge.host.test_ends import answers, states, wait_until, with_host
from tests.store.test_damage import flip
from torchstone.core.errors import StoreError
from torchstone.core.verdict import State, Verdict
from torchstone.judge.host.server import Host
from torchstone.store import Store, open_store

pytestmark = pytest.mark.pure


def test_a_damaged_program_is_not_judged_and_its_neighbours_are(tmp_path: Path) -> None:
    path = tmp_path / "torchstone.db"
    with open_store(path) as store:
        ids = [
            store.add_submission("01", f"program {number}", client_key=f"{number}")
            for number in range(3)
        ]
    flip(path, ids[1], "source")

    async def work(host: Host, store: Store) -> None:
        await host.prepare()
        await wait_until(lambda: states(store) == {State.DONE})
        found = {line.id: line.verdict for line in store.submissions_of("01")}
        assert found == {ids[0]: Verdict.AC, ids[1]: Verdict.IE, ids[2]: Verdict.AC}
        events = await answers(host, op="attach", job=ids[0])
        assert events[-1].report.verdict == "AC"
        with pytest.raises(StoreError, match=ids[1]):
            await answers(host, op="attach", job=ids[1])

    pool = StandInPool()
    with_host(tmp_path, work, pool)
    assert sorted(pool.judged) == ["program 0", "program 2"]


def test_a_report_that_is_damaged_is_not_given(tmp_path: Path) -> None:
    async def work(host: Host, store: Store) -> None:
        await host.prepare()
        events = await answers(host, op="submit", problem="01", source="pass", client_key="k")
        assert events[-1].report.verdict == "AC"
        (line,) = store.submissions_of("01")
        flip(tmp_path / "torchstone.db", line.id, "report", place=9)
        host._runner.live.clear()
        with pytest.raises(StoreError, match="result") as told:
            await answers(host, op="attach", job=line.id)
        assert told.value.code == "store.row_damaged"

    with_host(tmp_path, work)
