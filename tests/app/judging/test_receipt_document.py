"""A document that is no receipt is refused with the place, what came and what was expected."""

from __future__ import annotations

import json
from typing import Any

import pytest

from torchstone.app.judging.receipt_document import MAX_BYTES, BadReceipt, parse_receipt
from torchstone.core.i18n import LANGS

pytestmark = pytest.mark.pure

RECEIPT: dict[str, Any] = {
    "id": "c41e08d752ba",
    "hash": "0",
    "problem": "01",
    "content_hash": "0",
    "judge_hash": "0",
    "torch": "2.13.0",
    "isolation": "full",
    "seed": 7,
    "source_hash": "0",
    "verdict": "AC",
    "aspect": None,
    "group": None,
    "cases": [{"index": 0, "group": "sample", "code": "AC", "ratio": 0.5}],
    "replayable": True,
    "source": "pass\n",
}


def encoded(**changes: Any) -> bytes:
    """Return a receipt with other values; ``...`` leaves a field out."""
    found = RECEIPT | changes
    return json.dumps({key: value for key, value in found.items() if value is not ...}).encode()


def refused(document: bytes) -> dict[str, str]:
    """Return the sentences of the refusal in both languages."""
    with pytest.raises(BadReceipt) as caught:
        parse_receipt(document, "mine.json")
    said = {lang: caught.value.message(lang) for lang in LANGS}
    assert all("mine.json" in words and caught.value.hint("en") for words in said.values())
    return said


def test_a_receipt_is_parsed_with_its_program_and_its_other_fields() -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        document, source = parse_receipt(mark + encoded(extra=[1]), "mine.json")
        assert source == "pass\n"
        assert document == RECEIPT | {"extra": [1]}


@pytest.mark.parametrize(
    ("document", "en", "zh"),
    [
        (encoded(hash=...), "no field `hash`", "缺少字段 `hash`"),
        (encoded(source=...), "no field `source`", "缺少字段 `source`"),
        (encoded(source=[]), "`source` is a list. Expected a text", "`source` 是列表，应为文本"),
        (encoded(seed="x"), "`seed` is a text. Expected a whole number", "应为整数"),
        (encoded(seed=-1), "`seed` is `-1`. Expected a whole number from 0", "0 到"),
        (encoded(seed=1 << 63), "`seed` is `9223372036854775808`", "`9223372036854775808`"),
        (encoded(verdict="OK"), "`verdict` is `OK`. Expected a value", "`verdict` 是 `OK`"),
        (
            encoded(cases=[{"index": 0, "group": 1, "code": "AC", "ratio": None}]),
            "`cases[0].group` is a whole number. Expected a text",
            "`cases[0].group` 是整数",
        ),
        (encoded(cases=[{}]), "no field `cases[0].index`", "`cases[0].index`"),
        (encoded(problem=None), "`problem` is null. Expected a text", "`problem` 是null"),
        (b"[1]", "holds a list. Expected a JSON object", "内容是列表"),
        (b"null", "holds null", "null"),
        (b"", "ends in line 1, column 1", "第 1 行第 1 列"),
        (b'{"id": 1', "ends in line 1, column 9", "第 1 行第 9 列"),
        (b'{\n  "id" 7}', "line 2, column 8 is `7}`", "第 2 行第 8 列是 `7}`"),
        (b"\xff\xfe", "byte 0 is not UTF-8", "第 0 个字节"),
        (b"[" * 100_000, "lists nested too deeply", "嵌套过深"),
        (b"[" * 40 + b"]" * 40, "lists nested too deeply", "嵌套过深"),
        (b'{"seed": ' + b"9" * 5000 + b"}", "a number that is too long", "位数过多的数"),
        (encoded(problem="\ud800"), "`\\ud800`, which is half a character", "半个字符"),
        (b" " * (MAX_BYTES + 1), "larger than 2 MiB", "超过 2 MiB"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(document: bytes, en: str, zh: str) -> None:
    said = refused(document)
    assert en in said["en"]
    assert zh in said["zh"]


def test_a_long_value_is_cut_in_the_sentence() -> None:
    assert len(refused(encoded(verdict="x" * 10_000))["en"]) < 200
    assert len(refused(b'{"id": ' + b"x" * 10_000)["en"]) < 200
