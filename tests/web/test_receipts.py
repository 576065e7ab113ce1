"""The server checks a receipt of any origin, bounded in size and in number."""

from __future__ import annotations

import json

import pytest

from tests.web.live import LiveServer
from torchstone.app.judging.receipt_document import MAX_BYTES
from torchstone.web.guard import BODY_CAP

pytestmark = [pytest.mark.web, pytest.mark.full]

VERIFY = "/api/receipts/verify"


def test_the_page_the_server_and_the_document_have_one_limit() -> None:
    assert MAX_BYTES == BODY_CAP


@pytest.mark.parametrize("document", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b'"\\ud800"'])
def test_what_is_no_receipt_is_refused_under_its_name(server: LiveServer, document: bytes) -> None:
    answer = server.ask("POST", f"{VERIFY}?name=mine.json", document)
    assert answer.status == 400
    assert answer.json["code"].startswith("app.receipt_")
    assert answer.json["message"].startswith("mine.json is not a receipt")


def test_a_receipt_of_an_unknown_problem_or_group_is_refused(server: LiveServer) -> None:
    receipt = {name: "0" for name in ("id", "hash", "content_hash", "judge_hash", "source_hash")}
    document = receipt | {
        "problem": "99",
        "torch": "2",
        "isolation": "full",
        "seed": 1,
        "verdict": "AC",
        "aspect": None,
        "group": None,
        "cases": [],
        "replayable": True,
        "source": "",
    }
    answer = server.ask("POST", VERIFY, json.dumps(document).encode())
    assert (answer.status, answer.json["code"]) == (404, "bank.problem_unknown")


def test_a_body_beyond_the_limit_is_refused_before_it_is_read(server: LiveServer) -> None:
    answer = server.ask("POST", VERIFY, b"x" * (MAX_BYTES + 1))
    assert answer.status == 413


def test_a_receipt_that_is_not_there_is_not_found(server: LiveServer) -> None:
    assert server.ask("GET", "/api/receipts/ffffffffffff").status == 404
    assert server.ask("GET", "/api/receipts/%20").status == 404
