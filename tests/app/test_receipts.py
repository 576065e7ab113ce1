import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from torchstone.app.home import Home
from torchstone.app.judging import submit
from torchstone.app.receipts import (
    Conclusion,
    find_receipt,
    load_receipt,
    save_receipt,
    verify_receipt,
)
from torchstone.core.errors import BadInput, NotFound
from torchstone.judge.receipt import receipt_hash


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
@pytest.mark.parametrize(
    "content",
    ["", "[]", "null", "{}", '{"id": 1}', "[" * 100_000, '"text"'],
)
def test_what_is_no_receipt_is_refused(home: Home, tmp_path: Path, content: str) -> None:
    file = tmp_path / "receipt.json"
    file.write_text(content)
    with pytest.raises(BadInput) as caught:
        load_receipt(home, str(file))
    assert caught.value.code == "app.receipt_invalid"


@pytest.mark.pure
def test_neither_a_file_nor_an_id_is_not_found(home: Home) -> None:
    with pytest.raises(NotFound, match="neither a file nor"):
        load_receipt(home, "nothing.json")


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
