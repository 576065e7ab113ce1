"""Chapters on the page: listed, read in both languages, kept, run."""

import pytest

from tests.web.live import LiveServer

pytestmark = pytest.mark.web

ONE = "/api/learn/one-call"


def test_chapters_are_listed_in_parts_with_what_is_read(server: LiveServer) -> None:
    found = server.ask("GET", "/api/learn").json
    assert found["is_installed"]
    rows = [row for part in found["parts"] for row in part["chapters"]]
    assert rows[0]["id"] == "microtorch"
    assert len({row["id"] for row in rows}) == len(rows) > 40
    assert all(row["title"]["en"] and row["title"]["zh"] for row in rows)
    assert found["next_id"] in {row["id"] for row in rows}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_chapter_has_headings_cells_figures_and_what_it_is_joined_to(
    server: LiveServer, lang: str
) -> None:
    page = server.ask("GET", f"/api/learn/zero?lang={lang}").json
    kinds = [next(name for name in piece if piece[name]) for piece in page["pieces"]]
    assert {"heading", "html", "cell"} == set(kinds)
    cells = [piece["cell"] for piece in page["pieces"] if piece["cell"]]
    assert [cell["number"] for cell in cells] == [*range(1, len(cells) + 1)]
    assert "import torch" in cells[0]["source"]
    text = "".join(piece["html"] or "" for piece in page["pieces"])
    assert "<svg" in text
    # A link to another chapter stays on the page; one to a file of the repository has none.
    assert f'href="/{lang}/learn/data-parallel"' in text
    assert ".md" not in text
    assert {each["id"] for each in page["problems"]} == {"26", "30"}
    (lines,) = page["code"]
    assert (lines["file"], lines["line"] > 1) == ("torchstone/distributed/zero.py", True)
    assert "Zero" in lines["html"]
    assert page["previous"]["id"] == "data-parallel"


def test_reading_is_kept_and_a_look_into_a_read_chapter_changes_nothing(
    own_server: LiveServer,
) -> None:
    own_server.start().enter()
    assert own_server.ask("POST", f"{ONE}/reading", {"section": 3}).json["state"] == "reading"
    assert own_server.ask("GET", "/api/learn").json["next_id"] == "one-call"
    own_server.stop()
    own_server.start().enter()
    assert own_server.ask("GET", ONE).json["row"]["section"] == 3
    assert own_server.ask("POST", f"{ONE}/reading", {"is_done": True}).json["state"] == "done"
    row = own_server.ask("POST", f"{ONE}/reading", {"section": 1}).json
    assert (row["state"], row["section"]) == ("done", 1)
    assert own_server.ask("POST", f"{ONE}/reading", {"is_done": False}).json["state"] == "reading"
    # It is no work on a problem.
    assert own_server.ask("GET", "/api/overview").json["num_tried"] == 0


def test_what_is_not_there_says_so(server: LiveServer) -> None:
    for method, address, body, code in (
        ("GET", "/api/learn/nothing", None, "app.chapter_unknown"),
        ("POST", f"{ONE}/reading", {"section": 999}, "app.chapter_section"),
        ("POST", f"{ONE}/run", {"cell": 999}, "app.chapter_cell_unknown"),
        (
            "POST",
            f"{ONE}/run",
            {"cell": 1, "edited": [{"cell": 1, "source": "x" * 30_000}]},
            "app.cell_too_long",
        ),
    ):
        assert server.ask(method, address, body).json["code"] == code
    assert server.ask("GET", "/api/learn/..%2fzero").status in (404, 422)


@pytest.mark.full
def test_an_edited_cell_runs_after_the_edited_cells_before_it(server: LiveServer) -> None:
    edited = [{"cell": 1, "source": "x = 40"}, {"cell": 2, "source": "print(x + 2)"}]
    run = server.ask("POST", f"{ONE}/run", {"cell": 2, "edited": edited}).json
    assert (run["ok"], run["stdout"], run["error"]) == (True, "42\n", None)


@pytest.mark.full
@pytest.mark.parametrize(
    ("first", "second", "error"),
    [
        ("x = 1", "\n1 / 0", ("raised", 2, "ZeroDivisionError", 2)),
        ("x = ", "print(1)", ("raised", 1, "SyntaxError", 1)),
        (
            "import sys; print('a' * 3_000_000)",
            "print('a' * 3_000_000)",
            ("output", None, "", None),
        ),
        ("x = 1", "a = bytearray(8 << 30)", ("raised", 2, "MemoryError", 1)),
        ("x = 1", "import os; os._exit(3)", ("died", None, "", None)),
    ],
)
def test_what_ends_a_cell_is_said(
    server: LiveServer, first: str, second: str, error: tuple[object, ...]
) -> None:
    edited = [{"cell": 1, "source": first}, {"cell": 2, "source": second}]
    run = server.ask("POST", f"{ONE}/run", {"cell": 2, "edited": edited}).json
    found = run["error"]
    assert (found["kind"], found["cell"], found["type"], found["line"]) == error
