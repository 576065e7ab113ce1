import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from torchstone.app import transfer
from torchstone.app.home import Home
from torchstone.app.transfer import (
    export_document,
    export_progress,
    import_document,
    import_progress,
    write_new,
)
from torchstone.core.errors import BadInput, NotFound

pytestmark = pytest.mark.pure


def test_progress_survives_the_way_to_another_machine(
    home: Home, record: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record()
    file = tmp_path / "progress.json"
    done = export_progress(home, file)
    assert done.num_bytes == file.stat().st_size
    assert done.left_out.total == 0
    monkeypatch.setenv("TORCHSTONE_DATA", str(tmp_path / "elsewhere"))
    added = import_progress(home, file)
    assert added.submissions == 1
    assert import_progress(home, file).submissions == 0


def test_a_document_is_what_a_file_would_hold(
    home: Home, record: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record()
    document = export_document(home).document
    monkeypatch.setenv("TORCHSTONE_DATA", str(tmp_path / "elsewhere"))
    assert import_document(home, document).submissions == 1
    assert import_document(home, document).submissions == 0
    for broken in (b"", b"{}", document[:-3], b"\xff" + document):
        with pytest.raises(BadInput, match="Nothing was imported"):
            import_document(home, broken)
    monkeypatch.setattr(transfer, "MAX_IMPORT_BYTES", len(document) - 1)
    with pytest.raises(BadInput) as caught:
        import_document(home, document)
    assert caught.value.code == "app.progress_too_large"


def test_an_existing_file_is_replaced_only_on_demand(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "progress.json"
    file.write_text("mine")
    with pytest.raises(BadInput, match="exists already"):
        export_progress(home, file)
    assert file.read_text() == "mine"
    export_progress(home, file, replace=True)
    assert file.read_text() != "mine"


@pytest.mark.parametrize("name", ["absent/progress.json", "."])
def test_a_place_that_cannot_be_written_is_refused(home: Home, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        export_progress(home, tmp_path / name, replace=True)


def test_what_is_no_progress_is_refused(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    with pytest.raises(NotFound):
        import_progress(home, file)
    for content in (b"", b"{}", b"\xff", b"[" * 100_000):
        file.write_bytes(content)
        with pytest.raises(BadInput, match="Nothing was imported"):
            import_progress(home, file)


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    # A limit on the size of files fails as a full disk does: in the middle of writing.
    program = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from torchstone.app.transfer import write_new\n"
        "from torchstone.core.errors import BadInput\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit({resource.RLIMIT_FSIZE}, (4096, 4096))\n"
        "try:\n"
        "    write_new(Path(sys.argv[1]), b'x' * 10_000)\n"
        "except BadInput as error:\n"
        "    print(error.code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "out")], capture_output=True, text=True
    )
    assert done.stdout.strip() == "app.file_unwritable", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    write_new(tmp_path / "a", b"whole")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("a", b"whole")]


def test_what_was_submitted_is_for_its_owner_alone(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "progress.json"
    file.touch(mode=0o644)
    export_progress(home, file, replace=True)
    assert file.stat().st_mode & 0o777 == 0o600
