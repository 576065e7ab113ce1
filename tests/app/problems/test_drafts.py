"""The page and an editor write one file, and neither undoes what the other has saved."""

import errno
import logging
import os
import pickle
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torchstone.app.home import Home
from torchstone.app.judging.source import MAX_SOURCE_BYTES
from torchstone.app.problems.drafts import (
    ABSENT,
    MAX_NOTES_BYTES,
    DraftConflict,
    DraftKind,
    draft_path,
    edited_problems,
    read_draft,
    save_draft,
)
from torchstone.app.problems.workspace import read_workspace, start
from torchstone.core.errors import BadInput, StoreError
from torchstone.core.i18n import LANGS

pytestmark = pytest.mark.pure


@pytest.fixture
def path(home: Home) -> Path:
    """Where the solution of problem 01 lies."""
    return home.workspace / "01_softmax.py"


def save(
    home: Home, text: str, base: str, kind: DraftKind = DraftKind.SOLUTION, **more: bool
) -> str:
    return save_draft(home, "01", kind, text, base=base, **more).version


def started_at(home: Home) -> datetime | None:
    with home.open_store() as store:
        return store.progress("01").started_at


def test_a_missing_draft_is_blank(home: Home, path: Path) -> None:
    for kind, text in ((DraftKind.SOLUTION, home.problem("01").starter), (DraftKind.NOTES, "")):
        draft = read_draft(home, "softmax", kind)
        assert (draft.text, draft.version, draft.exists, draft.saved_at) == (
            text,
            ABSENT,
            False,
            None,
        )
    assert list(path.parent.iterdir()) == []


def test_what_is_saved_is_what_the_terminal_submits(home: Home, path: Path) -> None:
    before = datetime.now(UTC)
    draft = save_draft(home, "01", DraftKind.SOLUTION, "mine = 1\n", base=ABSENT)
    assert read_workspace(home, home.problem("01")) == "mine = 1\n"
    read = read_draft(home, "01")
    assert (read.text, read.version, read.exists) == ("mine = 1\n", draft.version, True)
    assert draft.saved_at is not None
    assert draft.saved_at >= before
    assert read.saved_at is not None
    assert [each.name for each in path.parent.iterdir()] == ["01_softmax.py"]


def test_notes_lie_beside_the_solution(home: Home, path: Path) -> None:
    save(home, "# 笔记\n", ABSENT, DraftKind.NOTES)
    assert (path.parent / "01_softmax.notes.md").read_text() == "# 笔记\n"
    assert not path.exists()
    assert started_at(home) is None


def test_a_save_goes_on_from_the_version_before(home: Home, path: Path) -> None:
    version = ABSENT
    for text in ("one\n", "two\n", ""):
        version = save(home, text, version)
        assert path.read_text() == text


@pytest.mark.parametrize("base", [ABSENT, "0123456789abcdef", "", "é" * 100])
def test_a_save_that_would_undo_another_one_is_refused(home: Home, path: Path, base: str) -> None:
    path.write_text("theirs\n")
    with pytest.raises(DraftConflict) as caught:
        save(home, "mine\n", base)
    conflict = caught.value
    assert (conflict.status, conflict.exit_code) == (409, 2)
    assert conflict.other == read_draft(home, "01")
    assert conflict.other.text == "theirs\n"
    assert path.read_text() == "theirs\n"
    assert [each.name for each in path.parent.iterdir()] == ["01_softmax.py"]
    assert pickle.loads(pickle.dumps(conflict)).other == conflict.other
    for lang in LANGS:
        assert str(path) in conflict.message(lang)
        assert conflict.hint(lang)


def test_a_file_that_was_removed_meanwhile_is_a_conflict_too(home: Home, path: Path) -> None:
    version = save(home, "one\n", ABSENT)
    path.unlink()
    with pytest.raises(DraftConflict) as caught:
        save(home, "two\n", version)
    assert not caught.value.other.exists
    assert save(home, "two\n", caught.value.other.version)


def test_an_answer_that_was_lost_can_be_asked_for_again(home: Home) -> None:
    version = save(home, "mine\n", ABSENT)
    assert save(home, "mine\n", ABSENT) == version


def test_mine_is_kept_and_theirs_is_put_aside(home: Home, path: Path) -> None:
    for text in ("first\n", "second\n"):
        path.write_text(text)
        save(home, f"after {text}", ABSENT, put_aside=True)
        assert path.read_text() == f"after {text}"
    aside = sorted(each.read_text() for each in path.parent.iterdir() if each != path)
    assert aside == ["first\n", "second\n"]
    save(home, "after second\n", ABSENT, put_aside=True)
    assert len(list(path.parent.iterdir())) == 3
    path.unlink()
    save(home, "again\n", ABSENT, put_aside=True)
    assert len(list(path.parent.iterdir())) == 3


def test_saving_the_starter_writes_no_file_and_begins_nothing(home: Home, path: Path) -> None:
    starter = home.problem("01").starter
    draft = save_draft(home, "01", DraftKind.SOLUTION, starter, base=ABSENT)
    assert (draft.version, draft.exists) == (ABSENT, False)
    assert not path.exists()
    assert started_at(home) is None
    version = save(home, "mine\n", ABSENT)
    assert started_at(home) is not None
    save(home, starter, version)
    assert path.read_text() == starter


def test_the_beginning_is_noted_once_a_round(
    home: Home, accepted_long_ago: Callable[..., str], record: Callable[..., str]
) -> None:
    accepted_long_ago()
    version = save(home, "one\n", ABSENT)
    save(home, "two\n", version)
    with home.open_store() as store:
        round_began = store.activity("01", since=datetime.now(UTC) - timedelta(hours=1)).started_at
        facts = store.export_progress().document.count(b'"kind": "start"')
    assert round_began is not None
    assert facts == 1
    record()
    with home.open_store() as store:
        progress = store.progress("01")
    assert progress.started_at == round_began


def test_a_text_is_saved_where_its_beginning_cannot_be_noted(
    home: Home, path: Path, monkeypatch: pytest.MonkeyPatch, logged: list[logging.LogRecord]
) -> None:
    def be_busy(_: Home) -> None:
        raise StoreError("store.busy", path="/data", reason="locked")

    with monkeypatch.context() as patch:
        patch.setattr(Home, "open_store", be_busy)
        version = save(home, "one\n", ABSENT)
        assert save(home, "two\n", version)
    assert path.read_text() == "two\n"
    assert all("not noted" in record.getMessage() for record in logged)
    assert logged
    assert started_at(home) is None
    save(home, "three\n", read_draft(home, "01").version)
    assert started_at(home) is not None


def test_a_save_does_not_restart_a_settled_problem(home: Home, record: Callable[..., str]) -> None:
    record()
    save(home, "playing\n", ABSENT)
    assert started_at(home) is None


def test_the_mode_of_the_file_stays(home: Home, path: Path) -> None:
    path.write_text("one\n")
    path.chmod(0o640)
    save(home, "two\n", read_draft(home, "01").version)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_is_written_through(home: Home, path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "dotfiles"
    elsewhere.mkdir()
    path.symlink_to(elsewhere / "softmax.py")
    version = save(home, "one\n", ABSENT)
    save(home, "two\n", version)
    assert path.is_symlink()
    assert (elsewhere / "softmax.py").read_text() == "two\n"
    save(home, "three\n", ABSENT, put_aside=True)
    assert path.is_symlink()
    assert sorted(each.read_text() for each in elsewhere.iterdir()) == ["three\n", "two\n"]


def test_a_link_that_leads_nowhere_is_refused(home: Home, path: Path) -> None:
    path.symlink_to("absent/softmax.py")
    with pytest.raises(BadInput, match="cannot be written"):
        save(home, "one\n", ABSENT)
    path.unlink()
    path.symlink_to(path.name)
    with pytest.raises(BadInput, match=os.strerror(errno.ELOOP)):
        save(home, "one\n", ABSENT)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\xff\n", "source_no_text"),
        (b"a\0b", "source_has_nul"),
        (b"x" * (MAX_SOURCE_BYTES + 1), "source_too_long"),
        (None, "source_no_file"),
    ],
)
def test_a_path_that_is_no_draft_is_neither_read_nor_replaced(
    home: Home, path: Path, content: bytes | None, code: str
) -> None:
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    for act in (lambda: read_draft(home, "01"), lambda: save(home, "mine\n", "elsewhere")):
        with pytest.raises(BadInput) as caught:
            act()
        assert caught.value.code == f"app.{code}"
    assert path.is_dir() if content is None else path.read_bytes() == content
    assert len(list(path.parent.iterdir())) == 1


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(home: Home, path: Path) -> None:
    os.mkfifo(path)
    for act in (lambda: read_draft(home, "01"), lambda: save(home, "mine\n", ABSENT)):
        with pytest.raises(BadInput, match="not a file"):
            act()


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("x = 1\ny = '\0'\n", "draft_no_text", 2),
        ("\ud800", "draft_no_text", 1),
        ("a\nb\n'\udfff\ud800'", "draft_no_text", 3),
        ("x" * (MAX_SOURCE_BYTES + 1), "draft_too_long", None),
        ("é" * (MAX_SOURCE_BYTES // 2 + 1), "draft_too_long", None),
    ],
)
def test_a_text_that_no_file_may_hold_is_refused(
    home: Home, path: Path, text: str, code: str, line: int | None
) -> None:
    path.write_text("old\n")
    for more in (False, True):
        with pytest.raises(BadInput) as caught:
            save(home, text, read_draft(home, "01").version, put_aside=more)
        assert caught.value.code == f"app.{code}"
        assert caught.value.values.get("line") == line
    assert path.read_text() == "old\n"
    assert started_at(home) is None


def test_a_draft_may_be_as_long_as_its_limit(home: Home) -> None:
    for kind, length in (
        (DraftKind.SOLUTION, MAX_SOURCE_BYTES),
        (DraftKind.NOTES, MAX_NOTES_BYTES),
    ):
        save(home, "x" * length, ABSENT, kind)
        assert len(read_draft(home, "01", kind).text) == length


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\ufeff")))
def test_any_text_comes_back_as_it_was(home: Home, text: str) -> None:
    base = read_draft(home, "01", DraftKind.NOTES).version
    version = save(home, text, base, DraftKind.NOTES)
    read = read_draft(home, "01", DraftKind.NOTES)
    assert (read.text, read.version) == (text, version)


def test_a_draft_is_plain_json(home: Home) -> None:
    save(home, "mine\n", ABSENT)
    found = msgspec.to_builtins(read_draft(home, "01"))
    assert found["kind"] == "solution"
    assert found["text"] == "mine\n"


def test_the_list_tells_what_was_edited(home: Home) -> None:
    assert edited_problems(home) == frozenset()
    start(home, "01")
    home_02 = draft_path(home, home.problem("02"), DraftKind.SOLUTION)
    home_02.write_text("mine\n")
    starter = home.problem("03").starter
    # As long as the starter, and different.
    draft_path(home, home.problem("03"), DraftKind.SOLUTION).write_text("#" + starter[1:])
    draft_path(home, home.problem("04"), DraftKind.SOLUTION).mkdir()
    os.mkfifo(draft_path(home, home.problem("05"), DraftKind.SOLUTION))
    draft_path(home, home.problem("06"), DraftKind.NOTES).write_text("notes\n")
    assert edited_problems(home) == {"02", "03"}


def test_a_list_is_shown_where_no_workspace_can_be_made(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").touch()
    monkeypatch.setenv("TORCHSTONE_WORKSPACE", str(tmp_path / "plain" / "below"))
    assert edited_problems(home) == frozenset()
