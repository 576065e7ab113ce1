"""A save is whole or not at all, whoever else saves and whatever the disk says."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from torchstone.app.home import Home
from torchstone.app.problems.drafts import ABSENT, DraftConflict, DraftKind, read_draft, save_draft
from torchstone.core.errors import TorchstoneError

pytestmark = pytest.mark.pure

NOBODY = 65534


@pytest.fixture
def path(home: Home) -> Path:
    """Where the solution of problem 01 lies."""
    return home.workspace / "01_softmax.py"


def save(home: Home, text: str, base: str) -> str:
    return save_draft(home, "01", DraftKind.SOLUTION, text, base=base).version


def test_of_two_savers_at_once_exactly_one_succeeds(
    home: Home, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("old\n")
    base = read_draft(home, "01").version
    is_writing, go_on = threading.Event(), threading.Event()
    replace = os.replace

    def replace_slowly(source: Path, target: Path) -> None:
        if not is_writing.is_set():
            is_writing.set()
            go_on.wait()
        replace(source, target)

    monkeypatch.setattr(os, "replace", replace_slowly)
    outcomes: list[str] = []

    def run(text: str) -> None:
        try:
            save(home, text, base)
            outcomes.append(f"saved {text}")
        except DraftConflict as conflict:
            outcomes.append(f"refused, there is {conflict.other.text}")

    first, second = (threading.Thread(target=run, args=(text,)) for text in ("one", "two"))
    first.start()
    is_writing.wait()
    second.start()
    # Time enough for the second to be done, if nothing held it back.
    second.join(0.3)
    go_on.set()
    first.join()
    second.join()
    assert sorted(outcomes) == ["refused, there is one", "saved one"]
    assert path.read_text() == "one"


def test_an_editor_that_saves_meanwhile_is_seen(
    home: Home, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def let_the_editor_save(descriptor: int) -> None:
        path.write_text("theirs\n")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", let_the_editor_save)
    with pytest.raises(DraftConflict) as caught:
        save(home, "mine\n", ABSENT)
    assert caught.value.other.text == "theirs\n"
    assert path.read_text() == "theirs\n"


def test_the_version_that_is_answered_is_that_of_the_text_that_was_sent(
    home: Home, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def replace_and_let_the_editor_save(source: Path, target: Path) -> None:
        replace(source, target)
        path.write_text("theirs\n")

    monkeypatch.setattr(os, "replace", replace_and_let_the_editor_save)
    version = save(home, "mine\n", ABSENT)
    monkeypatch.undo()
    monkeypatch.setenv("TORCHSTONE_WORKSPACE", str(path.parent))
    with pytest.raises(DraftConflict):
        save(home, "mine, and more\n", version)


# A limit on the size of files fails as a full disk does: in the middle of writing.
ON_A_FULL_DISK = """
import resource, signal
from torchstone.app.problems.drafts import DraftKind, read_draft, save_draft
from torchstone.app.home import find_home
from torchstone.core.errors import BadInput

home = find_home()
base = read_draft(home, "01").version
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    save_draft(home, "01", DraftKind.SOLUTION, "x" * 10_000, base=base, put_aside={put_aside})
except BadInput as error:
    print(error.code)
"""


@pytest.mark.parametrize("put_aside", [False, True])
def test_a_full_disk_leaves_the_old_file(home: Home, path: Path, put_aside: bool) -> None:
    path.write_text("old\n")
    done = subprocess.run(
        [sys.executable, "-c", ON_A_FULL_DISK.format(put_aside=put_aside)],
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "app.file_unwritable", done.stderr
    assert path.read_text() == "old\n"
    assert [each.name for each in path.parent.iterdir()] == ["01_softmax.py"]


@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o444, 0o755), (0o644, 0o555)])
def test_what_is_read_only_stays_as_it_is(
    home: Home, monkeypatch: pytest.MonkeyPatch, file_mode: int, folder_mode: int
) -> None:
    # Not below tmp_path: that may be closed to the user who tries.
    with tempfile.TemporaryDirectory() as folder:
        for name in ("workspace", "runtime"):
            (Path(folder) / name).mkdir(mode=0o700)
            monkeypatch.setenv(f"TORCHSTONE_{name.upper()}", f"{folder}/{name}")
        path = home.workspace / "01_softmax.py"
        path.write_text("old\n")
        version = read_draft(home, "01").version
        path.chmod(file_mode)
        home.workspace.chmod(folder_mode)
        refused = save_as_somebody(home, Path(folder), version)
        home.workspace.chmod(0o755)
        assert refused == "app.file_unwritable"
        assert path.read_text() == "old\n"
        assert [each.name for each in path.parent.iterdir()] == ["01_softmax.py"]


def save_as_somebody(home: Home, folder: Path, version: str) -> str:
    """Save as an ordinary user, since root may write everything; give the code of the refusal."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                for each in (folder, *folder.rglob("*")):
                    os.chown(each, NOBODY, NOBODY)
                os.setuid(NOBODY)
            save(home, "mine\n", version)
        except TorchstoneError as error:
            os.write(writer, error.code.encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with open(reader) as said:
        return said.read()
