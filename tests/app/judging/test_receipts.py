import importlib.metadata
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reports import make_case, make_report
from torchstone.app.home import Home
from torchstone.app.judging import receipts
from torchstone.app.judging.receipt_document import BadReceipt
from torchstone.app.judging.receipts import (
    Conclusion,
    Verification,
    find_receipt,
    load_receipt,
    save_receipt,
    show_receipt,
    verify_receipt,
)
from torchstone.app.judging.submission import Judged, submit
from torchstone.core.errors import BadInput, NotFound
from torchstone.core.verdict import Verdict
from torchstone.judge.assignment import hash_of
from torchstone.judge.receipt import judge_hash, receipt_hash, text_hash


def silent(event: dict[str, Any]) -> None:
    """Ignore an event."""


@pytest.mark.pure
def test_a_receipt_is_found_by_its_own_id_and_by_its_submission(
    home: Home, record: Callable[..., str]
) -> None:
    submission = record()
    assert find_receipt(home, submission[:6]) == find_receipt(home, "c41e08")
    with pytest.raises(NotFound):
        find_receipt(home, "ffffff")


@pytest.mark.pure
def test_a_receipt_of_another_form_is_not_shown(home: Home, record: Callable[..., str]) -> None:
    # Imported progress can contain any object there.
    with pytest.raises(BadInput) as caught:
        show_receipt(home, record())
    assert caught.value.code == "app.receipt_unreadable"


@pytest.mark.pure
@pytest.mark.parametrize(
    "content",
    ["", "[]", "null", "{}", '{"id": 1}', "[" * 100_000, '"text"'],
)
def test_what_is_no_receipt_is_refused(home: Home, tmp_path: Path, content: str) -> None:
    file = tmp_path / "receipt.json"
    file.write_text(content)
    with pytest.raises(BadInput) as caught:
        load_receipt(home, str(file))
    assert isinstance(caught.value, BadReceipt)
    assert str(file) in str(caught.value)


@pytest.mark.pure
def test_neither_a_file_nor_an_id_is_not_found(home: Home) -> None:
    with pytest.raises(NotFound, match="neither a file nor"):
        load_receipt(home, "nothing.json")


@pytest.mark.full
@pytest.mark.sandbox
@pytest.mark.torch
def test_a_receipt_is_confirmed_by_judging_again_and_a_changed_one_refuted(
    shared_home: Home, tmp_path: Path
) -> None:
    problem = shared_home.problem("01")
    wrong = next(each for each in problem.wrong if each.name == "no_shift")
    judged = submit(shared_home, "01", wrong.source, silent, kind="submit")
    assert judged.submission is not None
    file = tmp_path / "receipt.json"
    save_receipt(shared_home, judged.submission, file)
    shown = show_receipt(shared_home, judged.submission[:6])
    assert (shown.submission, shown.source) == (judged.submission, wrong.source)
    assert shown.receipt.verdict is Verdict.WA
    confirmed = verify_receipt(shared_home, str(file), silent)
    assert confirmed.conclusion is Conclusion.CONFIRMED
    assert (confirmed.recorded, confirmed.replay, confirmed.fresh) == ("WA", "WA", "WA")

    document = json.loads(file.read_text())
    forged = document | {"verdict": "AC", "aspect": None, "group": None}
    file.write_text(json.dumps(forged))
    found = verify_receipt(shared_home, str(file), silent)
    assert found.conclusion is Conclusion.REFUTED
    assert (found.hash_holds, found.fresh) == (False, None)

    # The hash is no secret: whoever forges it too is refuted by the judge.
    file.write_text(json.dumps(forged | {"hash": receipt_hash(forged)}))
    found = verify_receipt(shared_home, str(file), silent)
    assert found.conclusion is Conclusion.REFUTED
    assert (found.hash_holds, found.fresh) == (True, "WA")


def verify(
    monkeypatch: pytest.MonkeyPatch,
    home: Home,
    path: Path,
    *,
    replay: str = "WA",
    fresh: str = "WA",
    recorded: str = "WA",
    **facts: Any,
) -> Verification:
    """Verify a receipt that is whole, with a judge that says what it is told to say."""
    problem = home.problem("01")
    source = problem.solution.source
    case = {"index": 0, "group": "sample", "ratio": 2.0}
    decided = {"aspect": None, "group": "sample"}
    receipt = {
        "id": "c41e08d752ba",
        "problem": "01",
        "content_hash": hash_of(problem),
        "judge_hash": judge_hash(),
        "torch": importlib.metadata.version("torch"),
        "isolation": "full",
        "seed": 7,
        "source_hash": text_hash(source),
        "verdict": recorded,
        "cases": [case | {"code": recorded}],
        "replayable": Verdict(recorded).is_replayable,
        **decided,
        **facts,
    }
    path.write_text(json.dumps(receipt | {"hash": receipt_hash(receipt), "source": source}))

    def judge(home: Home, problem: Any, source: str, on_event: Any, **options: Any) -> Judged:
        code = replay if options.get("seed") == 7 else fresh
        cases = (make_case(group="sample", code=code),)
        report = make_report(verdict=code, cases=cases, **decided)
        return Judged(problem=problem, report=report)

    monkeypatch.setattr(receipts, "judge_text", judge)
    return verify_receipt(home, str(path), silent)


@pytest.mark.pure
@pytest.mark.parametrize(
    ("change", "conclusion"),
    [
        ({}, Conclusion.CONFIRMED),
        # Right under the recorded seed only: no proof.
        ({"fresh": "AC"}, Conclusion.REFUTED),
        ({"replay": "AC"}, Conclusion.REFUTED),
        ({"replay": "AC", "fresh": "AC"}, Conclusion.REFUTED),
        # Another judge, bank or torch decides otherwise: nothing is shown.
        ({"fresh": "AC", "judge_hash": "0"}, Conclusion.NOT_COMPARABLE),
        ({"replay": "AC", "content_hash": "0"}, Conclusion.NOT_COMPARABLE),
        ({"fresh": "AC", "torch": "1.0"}, Conclusion.NOT_COMPARABLE),
        # They decide the same: that is a confirmation all the more.
        ({"judge_hash": "0"}, Conclusion.CONFIRMED),
        # What depends on time is neither shown nor refuted by judging again.
        ({"recorded": "TLE", "replay": "TLE", "fresh": "TLE"}, Conclusion.NOT_REPLAYABLE),
        ({"recorded": "HUNG", "replay": "AC", "fresh": "AC"}, Conclusion.NOT_REPLAYABLE),
        # Unless it is not what was written, or not the program.
        ({"recorded": "TLE", "source_hash": "0"}, Conclusion.REFUTED),
    ],
)
def test_each_conclusion_follows_from_what_was_found(
    home: Home,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, Any],
    conclusion: Conclusion,
) -> None:
    found = verify(monkeypatch, home, tmp_path / "receipt.json", **change)
    assert found.conclusion is conclusion
    assert found.same_judge == ("judge_hash" not in change)
    assert found.same_problem == ("content_hash" not in change)
    assert found.same_torch == ("torch" not in change)
