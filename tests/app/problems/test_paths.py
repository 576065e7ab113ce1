import pytest

from torchstone.app.home import Home
from torchstone.app.problems.catalog import list_problems
from torchstone.app.problems.paths import follow_path, list_paths
from torchstone.app.review.overview import look_over
from torchstone.core.errors import NotFound
from torchstone.store import Progress, Store

pytestmark = pytest.mark.pure


def prove(home: Home, *problems: str) -> None:
    """Have a submission of each problem accepted."""
    with home.open_store() as store:
        for number, problem in enumerate(problems):
            added = store.add_submission(problem, "pass\n", client_key=f"k{number}")
            assert store.claim(added, "host")
            assert store.record_verdict(added, {"verdict": "AC", "time_ms": 1}, {})


def test_a_path_lists_its_problems_in_its_order(home: Home) -> None:
    found = list_problems(home, path="cuda").problems
    assert [row.id for row in found[:5]] == ["42", "42op", "43", "43op", "45"]
    ids = "first-week, autograd, training, engineering, numbers, cuda"
    with pytest.raises(NotFound, match=ids):
        list_problems(home, path="rust")


def test_the_next_problem_follows_the_chosen_path(home: Home) -> None:
    before = look_over(home).next
    follow_path(home, "cuda")
    chosen = look_over(home).next
    assert before is not None
    assert chosen is not None
    assert (before.problem_id, chosen.problem_id) == ("01", "42")
    assert chosen.reason["en"].startswith("Step 1 of 17 of the path CUDA. ")
    assert chosen.reason["zh"].startswith("路线“CUDA 核函数”共 17 题，这是第 1 题。")
    follow_path(home, None)
    assert look_over(home).next == before


def test_progress_on_a_path_is_counted(home: Home) -> None:
    assert [(path.num_proven, path.is_chosen) for path in list_paths(home)] == [(0, False)] * 6
    prove(home, "01", "05")
    follow_path(home, "first-week")
    first, autograd, *others = list_paths(home)
    assert (first.num_proven, autograd.num_proven) == (2, 2)
    assert [path.num_proven for path in others] == [2, 0, 2, 1]
    assert (first.is_chosen, autograd.is_chosen) == (True, False)
    assert [step.problem for step in first.steps if step.is_proven] == ["01", "05"]


def test_an_unknown_path_is_not_followed(home: Home) -> None:
    with pytest.raises(NotFound):
        follow_path(home, "rust")
    # An import from another bank may have chosen one that this bank does not have.
    with home.open_store() as store:
        store.choose_path("rust")
    assert look_over(home).next is not None


def test_the_overview_reads_all_progress_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    prove(home, "01", "05")
    look_over(home)
    reads: list[Store] = []
    read = Store.all_progress

    def count(store: Store) -> dict[str, Progress]:
        reads.append(store)
        return read(store)

    monkeypatch.setattr(Store, "all_progress", count)
    found = look_over(home)
    assert [path.num_proven for path in found.paths] == [2, 2, 2, 0, 2, 1]
    assert len(reads) == 1
    assert list_paths(home) == found.paths
