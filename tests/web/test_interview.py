"""Interviews on the page: refused in a sentence, kept over a kill, led, and what the seat shows."""

import json
import os
import re
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from tests.web.live import Answer, LiveServer, no_long_files
from torchstone.app.interview import holding
from torchstone.bank.loader import CONTENT
from torchstone.study.marking import read_written

pytestmark = pytest.mark.web

# The first item of this seed is a question.
FORM = {"level": "mid", "minutes": 60, "seed": 7}


def ask(live: LiveServer, method: str, path: str, body: Any = None, lang: str = "en") -> Answer:
    # The first interview of a server reads the whole bank.
    return live.ask(method, path, body, headers={"Accept-Language": lang}, timeout=300)


def done(live: LiveServer, path: str, body: Any = None) -> dict[str, Any]:
    answer = ask(live, "POST", path, body or {})
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


def good_answer(item: str) -> str:
    """Return an answer to a question that a person has credited in full."""
    number = item.removeprefix("question:")
    topic = number.rpartition(".")[0]
    (path,) = (CONTENT / "questions").glob(f"{topic}_*/answers.toml")
    return next(
        each.text
        for each in read_written(path)
        if (each.question, each.lang, each.kind) == (number, "en", "full")
    )


def begin(live: LiveServer, **arguments: Any) -> str:
    name = done(live, "/api/interviews", FORM | arguments)["id"]
    return f"/api/interviews/{name}"


def test_wrong_arguments_and_acts_are_refused_in_both_languages(used_server: LiveServer) -> None:
    led = begin(used_server, mode="conduct")
    item = done(used_server, f"{led}/guide")["page"]["item"]["id"]
    refusals = (
        ("/api/interviews", FORM | {"level": "wizard"}, "level_unknown", "wizard"),
        ("/api/interviews", FORM | {"minutes": 500}, "minutes", "500"),
        (f"{led}/swap", {"item": "question:0.0.0.0.0", "reason": "x"}, "item_unknown", "0.0.0.0"),
        (f"{led}/swap", {"item": item, "reason": "x"}, "item_twice", item),
        (f"{led}/skip", {"item": item}, "change_reason", ""),
        (f"{led}/score", {"item": item, "anchor": 4}, "score_anchor", "4"),
        (f"{led}/score", {"item": item, "anchor": 3}, "score_evidence", "3"),
        (f"{led}/answer", {"item": item, "text": "x"}, "led", ""),
        (f"{led}/take", {"item": "another"}, "other_item", "another"),
        (f"{led}/run", {"item": item, "text": "x"}, "no_program", ""),
        ("/api/interviews/ffffffffffff/hold", {}, "unknown", "ffffffffffff"),
    )
    for path, body, code, said in refusals:
        for lang in ("en", "zh"):
            answer = ask(used_server, "POST", path, body, lang)
            assert answer.status in (400, 404), (path, answer.body)
            assert answer.json["code"] == f"interview.{code}"
            assert said in answer.json["message"]
            assert bool(re.search("[一-鿿]", answer.json["message"])) == (lang == "zh")
    # A refused act changes nothing.
    assert done(used_server, f"{led}/guide")["page"]["item"]["id"] == item
    done(used_server, f"{led}/end")


@pytest.mark.full
def test_a_kill_loses_nothing_and_one_process_alone_holds_it(own_server: LiveServer) -> None:
    own_server.start().enter()
    alone = begin(own_server)
    first = done(own_server, f"{alone}/hold")
    item = first["item"]["id"]
    done(own_server, f"{alone}/answer", {"item": item, "text": good_answer(item)})
    second = done(own_server, f"{alone}/next")
    draft = {"item": second["item"]["id"], "text": "half a sentence"}
    assert ask(own_server, "PUT", f"{alone}/draft", draft).json == {"kept": True}
    before = done(own_server, f"{alone}/hold")["clock"]["elapsed_s"]
    own_server.kill()
    hold_from_here(own_server, is_held=True)
    own_server.start().enter()
    refused = ask(own_server, "POST", f"{alone}/hold", {}, "zh")
    assert (refused.status, refused.json["code"]) == (400, "interview.held_elsewhere")
    assert "另一个进程" in refused.json["message"]
    assert ask(own_server, "DELETE", alone).json["code"] == "interview.held_elsewhere"
    hold_from_here(own_server, is_held=False)
    after = done(own_server, f"{alone}/hold")
    assert after["item"]["id"] == second["item"]["id"]
    assert after["draft"] == "half a sentence"
    assert after["num_over"] == 1
    # The time away is not the candidate's; at most a heartbeat is given away.
    assert before - 2.5 <= after["clock"]["elapsed_s"] < before + 5
    assert done(own_server, f"{alone}/pause")["state"] == "paused"
    assert done(own_server, f"{alone}/resume")["num_pauses_left"] == 1
    assert done(own_server, f"{alone}/end")["state"] == "ended"
    report_is_whole(own_server, alone, item)


def hold_from_here(live: LiveServer, *, is_held: bool) -> None:
    """Write this process into the database as the one that holds the interviews, or nobody."""
    values = (os.getpid(), holding._began(os.getpid())) if is_held else (None, None)
    with closing(sqlite3.connect(live.folder / "data/torchstone.db")) as database:
        database.execute("UPDATE interviews SET holder_pid = ?, holder_began = ?", values)
        database.commit()


def report_is_whole(live: LiveServer, address: str, item: str) -> None:
    report = ask(live, "GET", f"{address}/report").json
    assert next(each["id"] for each in report["items"]) == item
    assert report["interruptions"]
    assert set(report["dimensions"]) == {"foundations", "practice", "optimisation", "innovation"}
    assert any(each["quote"] for each in report["evidence"])
    assert len(report["advice"]) == 5
    step = next(each for each in report["advice"] if each["review"].startswith("question:"))
    scheduled = done(live, f"{address}/review", {"item": step["item"]})
    number = step["review"].removeprefix("question:")
    assert ask(live, "GET", f"/api/questions/{number}").json["due"] == scheduled["due"]
    assert ask(live, "POST", f"{address}/review", {"item": "x"}).json["code"] == (
        "interview.step_unknown"
    )
    page = ask(live, "GET", f"{address}/file?kind=html&lang=zh")
    assert "attachment" in page.headers["Content-Disposition"]
    assert "面试报告" in page.body.decode()
    assert ask(live, "GET", f"{address}/file?kind=json").json["hash"] == report["hash"]


def test_the_seat_shows_the_open_item_and_nothing_that_belongs_to_the_guide(
    used_server: LiveServer,
) -> None:
    led = begin(used_server, mode="conduct", label="somebody")
    name = led.rpartition("/")[2]
    lead = done(used_server, f"{led}/guide")
    item = lead["page"]["item"]["id"]
    note = "hesitated over the dispatcher"
    done(used_server, f"{led}/notes", {"text": note, "is_quote": False})
    shown = [ask(used_server, "GET", f"/api/seats/{name}")]
    said = good_answer(item)
    draft = {"item": item, "text": said}
    shown.append(ask(used_server, "PUT", f"/api/seats/{name}/draft", draft))
    shown.append(ask(used_server, "POST", f"/api/seats/{name}/run", draft))
    taken = done(used_server, f"{led}/take", {"item": item})
    # Before a person's score is stored, nothing says what the machine thinks of the answer.
    assert taken["scored"][0]["answer"] == said
    assert taken["scored"][0]["proposal"] is None
    evidence = "what they said of the dispatcher"
    given = {"item": item, "anchor": 2, "evidence": evidence}
    scored = done(used_server, f"{led}/score", given)["scored"][0]
    assert scored["proposal"]["anchor"] >= 2
    again = ask(used_server, "POST", f"{led}/score", given | {"anchor": 1})
    assert again.json["code"] == "interview.score_reason"
    shown.append(ask(used_server, "GET", f"/api/seats/{name}?lang=zh"))
    following = done(used_server, f"{led}/next")["item"]["id"]
    shown.append(ask(used_server, "GET", f"/api/seats/{name}"))
    whole = "\n".join(each.body.decode() for each in shown)
    secret = [
        *(text for each in texts(lead["guide"]) for text in [each] if len(text) > 12),
        *(each["words"]["en"] for each in lead["remaining"] if each["item"] != following),
        *(note, evidence, "somebody", "because", "strategy", "anchor", "proposal", "score"),
    ]
    assert len(secret) > 30
    assert [each for each in secret if json.dumps(each, ensure_ascii=False)[1:-1] in whole] == []
    assert shown[-1].json["item"]["id"] == following
    assert ask(used_server, "GET", "/api/seats/ffffffffffff").status == 404
    done(used_server, f"{led}/end")
    assert ask(used_server, "GET", f"/api/seats/{name}").json["item"] is None


def look(live: LiveServer, address: str, mode: str) -> dict[str, Any]:
    """Return the page of the one who answers."""
    found = done(live, f"{address}/{'guide' if mode == 'conduct' else 'hold'}")
    page: dict[str, Any] = found["page"] if mode == "conduct" else found
    return page


@pytest.mark.parametrize("mode", ["self", "conduct"])
def test_a_full_disk_refuses_what_it_cannot_keep_and_keeps_what_was_there(
    used_server: LiveServer, mode: str
) -> None:
    address = begin(used_server, mode=mode)
    is_led = mode == "conduct"
    item = look(used_server, address, mode)["item"]["id"]
    seat = f"/api/seats/{address.rpartition('/')[2]}"
    draft = f"{seat if is_led else address}/draft"
    kept = {"item": item, "text": "kept before"}
    assert ask(used_server, "PUT", draft, kept).status == 200
    acts: list[tuple[str, str, Any]] = [("PUT", draft, {"item": item, "text": "lost"})]
    if is_led:
        acts += [("POST", f"{address}/notes", {"text": "a note", "is_quote": False})]
        acts += [("POST", f"{address}/take", {"item": item})]
    else:
        acts += [("POST", f"{address}/answer", {"item": item, "text": "an answer"})]
    with no_long_files(used_server):
        for method, path, body in acts:
            for lang, word in (("en", "disk"), ("zh", "磁盘")):
                refused = ask(used_server, method, path, body, lang)
                assert (refused.status, refused.json["code"]) == (503, "store.disk_full")
                assert word in refused.json["message"]
    again = look(used_server, address, mode)
    assert (again["item"]["id"], again["draft"]) == (item, "kept before")
    assert again["state"] == "answering"


def test_an_interview_that_nobody_leads_has_no_seat(used_server: LiveServer) -> None:
    alone = begin(used_server)
    seat = alone.replace("interviews", "seats")
    draft = {"item": done(used_server, f"{alone}/hold")["item"]["id"], "text": "x"}
    for method, path, body in (
        ("GET", seat, None),
        ("PUT", f"{seat}/draft", draft),
        ("POST", f"{seat}/run", draft),
    ):
        refused = ask(used_server, method, path, body)
        assert (refused.status, refused.json["code"]) == (400, "interview.not_led"), path
    assert done(used_server, f"{alone}/hold")["draft"] != "x"
    done(used_server, f"{alone}/end")


def texts(value: Any) -> list[str]:
    """Return all texts of a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for each in value.values() for text in texts(each)]
    return [text for each in value for text in texts(each)] if isinstance(value, list) else []
