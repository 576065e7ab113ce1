"""A file that is still being written: reading waits for the rest, and for no more than that."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from torchstone.doctor.read.arriving import WHOLE, ArrivingPath
from torchstone.doctor.read.run import read_run
from torchstone.doctor.refusal import Refusal

pytestmark = pytest.mark.pure


def test_reading_waits_until_enough_is_there(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(b"begin ")

    def write() -> None:
        time.sleep(0.02)
        with path.open("ab") as file:
            file.write(b"middle ")
            file.flush()
            time.sleep(0.02)
            file.write(b"end")
        (tmp_path / WHOLE).touch()

    writer = threading.Thread(target=write)
    writer.start()
    with ArrivingPath(path).open("rb") as file:
        assert file.read(13) == b"begin middle "
        assert file.tell() == 13
        assert file.read(1000) == b"end"
        assert file.read(1000) == b""
        file.seek(6)
        assert file.read(6) == b"middle"
    writer.join()


def test_a_whole_file_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "trace.sqlite"
    path.touch()
    timer = threading.Timer(0.02, (tmp_path / WHOLE).touch)
    timer.start()
    ArrivingPath(path).wait()
    assert (tmp_path / WHOLE).exists()
    timer.join()


def test_a_file_without_a_byte_is_refused_as_any_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.touch()
    (tmp_path / WHOLE).touch()
    with pytest.raises(Refusal, match="is empty"):
        read_run([ArrivingPath(path)])
