"""A hundred kills of server and judge host: acknowledged acts are kept, the clock within 2 s."""

import http.client
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.full, pytest.mark.timeout(3600)]

NUM_KILLS = 100
# A heartbeat, which a kill gives away at most, and what the clock's own reading rounds.
GIVEN_AWAY_S = 2.1
PROGRAM = "import torch\n\n\ndef solve(*args, **kwargs):\n    return torch.zeros(1)\n"


class Refused(Exception):
    """The server answered, with a refusal."""


@dataclass
class Interview:
    """An interview on a server that is killed, and what of it was acknowledged."""

    live: LiveServer
    address: str
    random: random.Random
    is_led: bool
    drafts: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    scores: dict[str, tuple[int, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    elapsed_s: float = 0.0
    asked_at: float = 0.0
    count: int = 0
    over: bool = False

    def ask(self, method: str, path: str, body: Any) -> dict[str, Any]:
        """Ask, and raise where the server refuses; it may as well be gone."""
        asked_at = time.monotonic()
        answer = self.live.ask(method, f"{self.address}/{path}", body)
        if answer.status != 200:
            raise Refused(f"{path}: {answer.status} {answer.body!r}")
        found: dict[str, Any] = answer.json
        page = found.get("page", found)
        if "clock" in page:
            # The clock was read at some moment since the question.
            self.elapsed_s, self.asked_at = page["clock"]["elapsed_s"], asked_at
        return found

    def act_until_it_is_gone(self) -> None:
        """Do one thing after another until the server does not answer or the interview is over."""
        try:
            page = self.look()
            while page["state"] != "ended":
                page = self.act(page)
            self.over = True
        # The reply was cut off, or nobody listened.
        except (OSError, http.client.HTTPException, ValueError):
            return

    def look(self) -> dict[str, Any]:
        """Return the state as the one who answers sees it."""
        found = self.ask("POST", "guide" if self.is_led else "hold", {})
        page: dict[str, Any] = found["page"] if self.is_led else found
        return page

    def act(self, page: dict[str, Any]) -> dict[str, Any]:
        """Write, hand in and go on, or lead: write down, take, score and go on."""
        if page["state"] == "between":
            found = self.ask("POST", "next", {})
            return self.look() if self.is_led else found
        item = page["item"]
        for _ in range(self.random.randint(1, 3)):
            self.write(item)
        if self.is_led:
            self.lead(item)
        else:
            text = PROGRAM if item["kind"] == "code" else self.sentence("answer")
            body = {"item": item["id"], "text": text}
            if item["kind"] == "predict":
                body = {"item": item["id"], "set": [each["id"] for each in item["claims"]][:1]}
            self.ask("POST", "answer", body)
            self.answers[item["id"]] = str(body.get("text", ""))
        return self.look()

    def write(self, item: dict[str, Any]) -> None:
        """Write an answer down as the page does after each pause in typing."""
        # Of a prediction that is led the names of claims are taken as they were written.
        is_names = self.is_led and item["kind"] == "predict"
        text = item["claims"][0]["id"] if is_names else self.sentence("draft")
        name = self.address.rpartition("/")[2]
        path = f"/api/seats/{name}/draft" if self.is_led else f"{self.address}/draft"
        answer = self.live.ask("PUT", path, {"item": item["id"], "text": text})
        if answer.status != 200:
            raise Refused(f"draft: {answer.status} {answer.body!r}")
        self.drafts[item["id"]] = text

    def lead(self, item: dict[str, Any]) -> None:
        """Write a note, take what is written, score it with evidence, and go on."""
        note = self.sentence("note")
        self.ask("POST", "notes", {"text": note, "is_quote": False})
        self.notes.append(note)
        self.ask("POST", "take", {"item": item["id"]})
        self.answers[item["id"]] = self.drafts[item["id"]]
        given = (self.random.randint(0, 3), self.sentence("evidence"))
        self.ask("POST", "score", {"item": item["id"], "anchor": given[0], "evidence": given[1]})
        self.scores[item["id"]] = given

    def sentence(self, word: str) -> str:
        """Return a text that occurs once."""
        self.count += 1
        return f"{word} {self.count} of {self.address[-6:]}: views share storage"

    def check(self, killed_at: float) -> None:
        """Compare what the server has with all that was acknowledged before the kill."""
        before, asked_at = self.elapsed_s, self.asked_at
        page = self.look()
        item = page["item"]
        if item is not None and item["id"] in self.drafts:
            written = self.drafts[item["id"]]
            if written.startswith("draft"):
                # The text whose acknowledgement was cut off may be there, never an older one.
                assert int(page["draft"].split()[1]) >= int(written.split()[1])
            else:
                assert page["draft"] == written
        if before:
            assert page["clock"]["elapsed_s"] >= before - GIVEN_AWAY_S
            most = killed_at - asked_at
            assert page["clock"]["elapsed_s"] <= before + most + GIVEN_AWAY_S

    def check_kept(self) -> None:
        """Look for every answer, score and note among what the disk has."""
        name = self.address.rpartition("/")[2]
        query = "SELECT body FROM interview_events WHERE interview = ?"
        with closing(sqlite3.connect(self.live.folder / "data/torchstone.db")) as database:
            bodies = [json.loads(body) for (body,) in database.execute(query, (name,))]
        texts = {text for each in bodies for text in each.values() if isinstance(text, str)}
        assert {each for each in self.answers.values() if each} - texts == set()
        assert {*self.notes} - texts == set()
        scores = [(each["anchor"], each["evidence"]) for each in bodies if "anchor" in each]
        assert [each for each in self.scores.values() if each not in scores] == []


def begin(live: LiveServer, draws: random.Random, *, is_led: bool) -> Interview:
    form = {
        "level": "mid",
        "minutes": 140,
        "seed": draws.randint(0, 99),
        "mode": "conduct" if is_led else "self",
    }
    answer = live.ask("POST", "/api/interviews", form)
    assert answer.status == 200, answer.body
    address = f"/api/interviews/{answer.json['id']}"
    return Interview(live=live, address=address, random=draws, is_led=is_led)


def kill_one(live: LiveServer, draws: random.Random) -> bool:
    """Kill the judge host, if it runs and is drawn, or the server; return whether the server."""
    if draws.random() < 0.3 and live.ask("GET", "/api/status").json["host"]["ready"]:
        command = [sys.executable, "-m", "torchstone", "host", "status", "--json"]
        found = subprocess.run(command, env=live.environment, capture_output=True, check=True)
        os.kill(json.loads(found.stdout)["pid"], signal.SIGKILL)
        return False
    live.kill()
    return True


def test_a_hundred_kills_lose_nothing_that_was_acknowledged(
    own_server: LiveServer, record_testsuite_property: Callable[[str, object], None]
) -> None:
    draws = random.Random(50)
    own_server.start().enter()
    interviews: list[Interview] = []
    num_server = 0
    for _ in range(NUM_KILLS):
        if not interviews or interviews[-1].over:
            interviews.append(begin(own_server, draws, is_led=len(interviews) % 2 == 1))
        running = interviews[-1]
        acting = threading.Thread(target=running.act_until_it_is_gone)
        acting.start()
        acting.join(draws.uniform(0.0, 3.0))
        if kill_one(own_server, draws):
            killed_at = time.monotonic()
            num_server += 1
            acting.join()
            own_server.start().enter()
            running.check(killed_at)
        else:
            # The server stands; what it acknowledged after the kill counts like the rest.
            acting.join(1.0)
            own_server.kill()
            acting.join()
            own_server.start().enter()
        running.check_kept()
    for each in interviews:
        if not each.over:
            each.ask("POST", "end", {})
        assert own_server.ask("GET", f"{each.address}/report").status == 200
    total = sum(len(each.answers) for each in interviews)
    record_testsuite_property("kills of the server", num_server)
    record_testsuite_property("answers", total)
    record_testsuite_property("scores", sum(len(each.scores) for each in interviews))
    record_testsuite_property("notes", sum(len(each.notes) for each in interviews))
    assert total > 20
