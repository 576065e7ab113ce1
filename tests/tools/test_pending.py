from importlib import metadata
from pathlib import Path

import pytest

from tools import lock, pending

pytestmark = pytest.mark.pure

LOCK = "# a comment\n\nabsent-one==1.0  # 30 MiB\nabsent-two==2.0\nnot a pin\n"


def test_pins_are_read_with_their_weight() -> None:
    pins = [(pin.name, pin.version, pin.mib) for pin in pending.read_lock(LOCK)]
    assert pins == [("absent-one", "1.0", 30), ("absent-two", "2.0", 0)]


def test_a_pin_is_installed_only_at_its_very_version() -> None:
    version = metadata.version("pytest")
    assert pending.is_installed(pending.Pin(name="pytest", version=version, mib=1))
    assert not pending.is_installed(pending.Pin(name="pytest", version="0.0", mib=1))
    assert not pending.is_installed(pending.Pin(name="no-such-package", version="1", mib=1))


def test_what_will_be_downloaded_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "requirements.lock").write_text(LOCK)
    monkeypatch.setattr("sys.argv", ["pending.py", str(tmp_path / "requirements.lock")])
    assert pending.main() == 0
    said = capsys.readouterr().out
    assert "2 packages, about 10 MiB to download, 30 MiB on disk" in said
    assert "absent-one 1.0 (30 MiB)" in said


def test_the_size_of_a_torch_with_cuda_is_warned_of() -> None:
    torch = pending.Pin(name="torch", version="2.13.0", mib=600)
    assert "TORCHSTONE_PIP_ARGS" in pending.describe([torch])


def test_a_pin_is_written_as_it_is_read_and_without_the_local_label() -> None:
    class Labelled:
        name, version, files = "Typing_Extensions", "2.13.0+cpu", ()

    assert lock.pin(Labelled()) == "typing-extensions==2.13.0"  # type: ignore[arg-type]
    (read,) = pending.read_lock(lock.pin(metadata.distribution("hypothesis")))
    assert pending.is_installed(read)
    assert read.mib > 0
