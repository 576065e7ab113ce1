"""Every failure is answered in one shape, in the language of whoever asked, and tells no secret."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.types import Message

from tests.web.live import LiveServer
from torchstone.app.problems.drafts import MAX_NOTES_BYTES
from torchstone.core.errors import JudgeUnavailable, TorchstoneError
from torchstone.core.i18n import LANGS, catalogue
from torchstone.web.faults import (
    REQUIREMENTS,
    Forbidden,
    Misdirected,
    TooLarge,
    TooSlow,
    Unauthorised,
    add_handlers,
    requirement_of,
)

DIFF, RISE = "/api/diff", "/api/problems/01/hints"
# Method, address, body, what is said of the place in English and in Chinese.
WRONG: list[tuple[str, str, Any, str, str]] = [
    ("POST", DIFF, {"first": "a"}, "body.second is missing", "body.second 不能缺少"),
    ("POST", DIFF, b'{"first"', "body.8 must be JSON", "body.8 应为 JSON"),
    ("POST", DIFF, [], "body must be an object", "body 应为对象"),
    ("POST", DIFF, {"first": 1, "second": ""}, "body.first must be text", "body.first 应为文本"),
    (
        *("POST", DIFF, {"first": "", "second": "x" * (MAX_NOTES_BYTES + 1)}),
        "body.second must have at most 1048576 characters",
        "body.second 最多 1048576 个字符",
    ),
    (
        *("POST", DIFF, {"first": "\ud800", "second": ""}),
        "body.first must not contain unpaired surrogates",
        "body.first 含有不完整的字符",
    ),
    (
        *("POST", "/api/problems/01/try", {"source": "\ud800", "expression": "1"}),
        "body.source must not contain unpaired surrogates",
        "body.source 含有不完整的字符",
    ),
    ("POST", RISE, {"rung": "x"}, "body.rung must be an integer", "body.rung 应为整数"),
    ("POST", RISE, {"rung": 1.5}, "body.rung must be an integer", "body.rung 应为整数"),
    ("POST", RISE, {"rung": 0}, "body.rung must be at least 1", "body.rung 不能小于 1"),
    ("POST", RISE, {"rung": 5}, "body.rung must be at most 4", "body.rung 不能大于 4"),
    (
        *("POST", "/api/problems/01/solutions", {"give_up": "perhaps"}),
        "body.give_up must be true or false",
        "body.give_up 应为 true 或 false",
    ),
    (
        *("POST", "/api/reviews/01/undo", {"reviewed_at": "soon"}),
        "body.reviewed_at must be a date with a time",
        "body.reviewed_at 应为带时间的日期",
    ),
    (
        *("GET", "/api/problems/1", None),
        "path.problem_id must match ^[0-9]{2}(op)?$",
        "path.problem_id 应匹配 ^[0-9]{2}(op)?$",
    ),
    (
        *("GET", "/api/problems/01?lang=fr", None),
        "query.lang must be one of the documented values",
        "query.lang 应为文档列出的取值之一",
    ),
]
SAID = {
    "en": "The request does not have the documented form: {}.",
    "zh": "请求不符合约定的格式：{}。",
}


@pytest.mark.web
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(("method", "path", "body", "en", "zh"), WRONG)
def test_what_is_wrong_is_said_in_the_language_of_whoever_asked(
    server: LiveServer, method: str, path: str, body: Any, en: str, zh: str, lang: str
) -> None:
    answer = server.ask(method, path, body, headers={"Accept-Language": lang})
    assert (answer.status, answer.json["code"]) == (422, "web.invalid")
    assert answer.json["message"] == SAID[lang].format({"en": en, "zh": zh}[lang])


@pytest.mark.web
def test_what_is_no_text_at_all_is_refused_in_chinese(server: LiveServer) -> None:
    answer = server.ask("POST", DIFF, b'"\xff', headers={"Accept-Language": "zh"})
    assert (answer.status, answer.json["message"]) == (
        422,
        SAID["zh"].format("request 应与文档一致"),
    )


@pytest.mark.web
@pytest.mark.parametrize(
    ("method", "path", "status", "en", "zh"),
    [
        ("GET", "/api/problems/99", 404, "99", "99"),
        ("POST", "/api/nowhere", 405, "does not support POST", "不支持 POST"),
        ("DELETE", "/api/problems", 405, "does not support DELETE", "不支持 DELETE"),
    ],
)
def test_an_address_or_a_method_that_is_not_there_is_said(
    server: LiveServer, method: str, path: str, status: int, en: str, zh: str
) -> None:
    for lang, words in (("en", en), ("zh-CN", zh)):
        answer = server.ask(method, path, headers={"Accept-Language": lang})
        assert answer.status == answer.json["status"] == status
        assert answer.json["ok"] is False
        assert words in answer.json["message"]
        assert answer.json["hint"]


@pytest.mark.pure
def test_each_kind_of_complaint_has_a_sentence_in_both_languages() -> None:
    assert requirement_of("a kind that the next version has") == "documented"
    used = {*REQUIREMENTS.values(), "documented"}
    for lang in LANGS:
        said = {key for key in catalogue("web", lang) if key.startswith("web.requirement.")}
        assert said == {f"web.requirement.{name}" for name in used}


def ask_app(error: Exception, lang: str) -> tuple[int, dict[str, Any]]:
    """Ask a route that fails with an error."""
    app, sent = FastAPI(), []
    add_handlers(app)

    @app.get("/")
    def fail() -> None:
        raise error

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "headers": [(b"accept-language", lang.encode())],
    }
    try:
        asyncio.run(app(scope, receive, send))
    except type(error):
        # A fault of ours goes on to the server besides, which shows it in the terminal.
        assert not isinstance(error, JudgeUnavailable)
    return sent[0]["status"], json.loads(sent[1]["body"])


@pytest.mark.pure
@pytest.mark.parametrize(("lang", "words"), [("en", "The server failed"), ("zh", "服务内部出错")])
def test_a_fault_of_ours_names_its_type_and_nothing_else(lang: str, words: str) -> None:
    status, shape = ask_app(KeyError("a secret"), lang)
    assert (status, shape["code"], shape["status"]) == (500, "web.fault", 500)
    assert words in shape["message"]
    assert "KeyError" in shape["message"]
    assert "secret" not in json.dumps(shape)


@pytest.mark.pure
def test_an_error_that_can_be_said_keeps_its_status() -> None:
    status, shape = ask_app(JudgeUnavailable("judge.host_left"), "zh-Hans-CN,zh;q=0.9")
    assert (status, shape["code"]) == (503, "judge.host_left")
    assert shape == JudgeUnavailable("judge.host_left").shape("zh")


@pytest.mark.pure
@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Misdirected("web.misdirected"), 421),
        (Unauthorised("web.not_let_in"), 401),
        (Forbidden("web.other_origin"), 403),
        (TooLarge("web.too_large", mib=2), 413),
        (TooSlow("web.too_slow"), 408),
    ],
)
def test_each_refusal_of_a_request_has_its_status(error: TorchstoneError, status: int) -> None:
    for lang in LANGS:
        came, shown = ask_app(error, lang)
        assert came == shown["status"] == status
