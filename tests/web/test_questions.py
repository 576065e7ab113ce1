"""Questions on the page: asked without their answer, handed in, corrected, predicted."""

import json
from typing import Any

import pytest

from tests.web.live import LiveServer
from torchstone.bank.questions.library import PACKAGE

pytestmark = pytest.mark.web

VIEW = "/api/questions/2.1.2.1.1"
SAID = "view never copies: it shares the storage of its input."


def secrets_of(live: LiveServer, address: str) -> list[str]:
    """Return words of the answer, which no response may hold before there is an answer."""
    model = live.ask("POST", f"{address}/show", {"is_aloud": True}).json["model"]
    points = [point["html"][lang] for point in model["points"] for lang in ("en", "zh")]
    return [*points, *(cell["name"] for cell in model["cells"] if cell["name"] != "setup")]


def test_a_question_is_asked_without_anything_of_its_answer(server: LiveServer) -> None:
    hidden = secrets_of(server, VIEW)
    assert len(hidden) > 6
    page = server.ask("GET", VIEW)
    assert page.status == 200
    assert page.json["words"]["en"] == "How do view() and reshape() differ?"
    assert page.json["recall"] == "unseen"
    assert page.json["next_id"] == "2.1.2.1.2"
    whole = json.dumps([page.json, server.ask("GET", "/api/questions").json], ensure_ascii=False)
    assert not [words for words in hidden if words in whole]


def test_questions_are_listed_by_topic_with_what_is_known(server: LiveServer) -> None:
    found = server.ask("GET", "/api/questions").json
    assert len(found["chapters"]) == 10
    topic = next(each for each in found["topics"] if each["id"] == "2.1.2.1")
    assert topic["chapter"] == 2
    assert {row["recall"] for row in topic["questions"]} <= {"unseen", "known", "fading", "due"}
    assert found["next_id"] is not None
    assert found["broken"] == []


def test_the_model_answer_has_the_lines_of_the_library(server: LiveServer) -> None:
    model = server.ask("POST", "/api/questions/8.1.2.2.4/show", {"is_aloud": True}).json["model"]
    first = model["code"][0]
    assert first["name"] == "torchstone.distributed.data_parallel:DataParallel"
    assert first["file"] == "torchstone/distributed/data_parallel.py"
    source = (PACKAGE.parent / first["file"]).read_text(encoding="utf-8").splitlines()
    assert source[first["line"] - 1].startswith("class DataParallel(")
    assert "DataParallel" in first["html"]


def marked(live: LiveServer, address: str, **body: Any) -> dict[str, Any]:
    answer = live.ask("POST", f"{address}?lang=zh", body)
    assert answer.status == 200, answer.json
    found: dict[str, Any] = answer.json["marked"]
    return found


def test_an_answer_is_marked_corrected_and_undone(own_server: LiveServer) -> None:
    own_server.start().enter()
    first = marked(own_server, f"{VIEW}/answer", text=SAID, seconds=30)
    (point, *_) = first["found"]
    assert SAID[point["start"] : point["end"]] == point["quote"]
    assert first["rating"] == 1
    credited = [each["id"] for each in first["missed"]]
    of = first["corrections"]["of"]
    after = marked(own_server, f"{VIEW}/corrections", credited=credited, of=of)
    assert after["rating"] == 3
    assert after["text"] == SAID
    assert after["coverage"] == 1
    assert own_server.ask("POST", f"{VIEW}/corrections", {"of": of}).json["code"] == (
        "app.answer_replaced"
    )
    assert own_server.ask("GET", VIEW).json["recall"] == "known"
    assert len(own_server.ask("GET", f"{VIEW}/log").json["entries"]) == 2
    undone = own_server.ask("POST", f"{VIEW}/undo", {"reviewed_at": after["corrections"]["of"]})
    assert undone.json["recall"] == "unseen"
    assert marked(own_server, f"{VIEW}/show")["rating"] == 1


def test_what_cannot_be_marked_says_why(server: LiveServer) -> None:
    for text, code in (("", "empty"), ("x" * 20_000, "too_long")):
        answer = server.ask("POST", f"{VIEW}/answer", {"text": text})
        assert (answer.status, answer.json["code"]) == (400, f"app.answer_{code}")
    assert server.ask("GET", "/api/questions/2.1.2.1.77").status == 404
    assert server.ask("GET", "/api/questions/..%2f").status in (404, 422)


def test_a_prediction_is_compared_with_what_a_change_makes_false(server: LiveServer) -> None:
    model = server.ask("POST", f"{VIEW}/show", {"is_aloud": True}).json["model"]
    cell = next(each for each in model["cells"] if each["changes"])
    change = cell["changes"][0]["number"]
    fails = server.ask("POST", f"{VIEW}/predict", {"change": change, "claims": []}).json["fails"]
    assert fails
    right = server.ask("POST", f"{VIEW}/predict", {"change": change, "claims": fails}).json
    assert right["is_right"]
    wrong = server.ask("POST", f"{VIEW}/predict", {"change": 999, "claims": []})
    assert wrong.json["code"] == "app.change_unknown"


def test_a_cell_that_is_not_there_is_refused_with_those_that_are(server: LiveServer) -> None:
    refused = server.ask("POST", f"{VIEW}/run", {"cell": "none"})
    assert refused.status == 404
    assert "one storage, two readings" in refused.json["message"]


@pytest.mark.full
def test_an_edited_cell_says_which_claims_hold(server: LiveServer) -> None:
    cells = server.ask("POST", f"{VIEW}/show", {"is_aloud": True}).json["model"]["cells"]
    cell = next(each for each in cells if each["name"] == "one storage, two readings")
    edited = cell["source"].replace("x.view(3, 4)", "x.clone().view(3, 4)")
    run = server.ask("POST", f"{VIEW}/run", {"cell": cell["name"], "source": edited}).json
    assert (run["ok"], run["stdout"]) == (False, "(4, 1)\n")
    assert {each["id"]: each["held"] for each in run["claims"]} == {
        "view-shares": False,
        "write-shows-through": False,
    }
