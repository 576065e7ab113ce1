import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from torchstone.core.errors import BadInput, JudgeUnavailable
from torchstone.web.address import (
    Address,
    find_address,
    hold_address,
    request_login_link,
    sweep_redirects,
    write_redirect,
)

pytestmark = pytest.mark.pure


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runtime"
    monkeypatch.setenv("TORCHSTONE_RUNTIME", str(folder))
    return folder


def test_a_server_is_found_while_it_lives_and_only_then(tmp_path: Path) -> None:
    assert find_address(tmp_path) is None
    with hold_address(tmp_path, "127.0.0.1", 8417) as held:
        assert held is not None
        assert find_address(tmp_path) == held
        assert held.url == "http://127.0.0.1:8417/"
        # Another data folder has another server.
        assert find_address(tmp_path / "other") is None
    assert find_address(tmp_path) is None


def test_the_second_server_of_a_data_folder_is_told_so(tmp_path: Path) -> None:
    with hold_address(tmp_path, "127.0.0.1", 1) as first:
        assert first is not None
        with hold_address(tmp_path, "127.0.0.1", 2) as second:
            assert second is None
        # The first is still found as it was.
        assert find_address(tmp_path) == first


def test_what_a_killed_server_left_behind_is_no_server(tmp_path: Path, runtime: Path) -> None:
    with hold_address(tmp_path, "127.0.0.1", 1):
        (file,) = runtime.glob("*.server.json")
        left = file.read_text()
    file.write_text(left)
    assert find_address(tmp_path) is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 1}', "null"])
def test_a_file_that_is_being_written_is_no_server(
    tmp_path: Path, runtime: Path, content: str
) -> None:
    with hold_address(tmp_path, "127.0.0.1", 1):
        (file,) = runtime.glob("*.server.json")
        file.write_text(content)
        assert find_address(tmp_path) is None


def test_an_address_of_the_newer_protocol_is_written_in_brackets() -> None:
    assert Address(pid=1, host="::1", port=8417, key="k").url == "http://[::1]:8417/"


def test_a_server_that_does_not_answer_is_named_by_its_process() -> None:
    with pytest.raises(JudgeUnavailable, match="4711"):
        request_login_link(Address(pid=4711, host="127.0.0.1", port=9, key="k"))


@pytest.mark.parametrize("said", [b"", b"no HTTP at all\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n{}"])
def test_whatever_else_answers_is_no_server(said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:

        def answer() -> None:
            connection, _ = other.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(said)

        thread = threading.Thread(target=answer)
        thread.start()
        address = Address(pid=4711, host="127.0.0.1", port=other.getsockname()[1], key="k")
        with pytest.raises(JudgeUnavailable, match="4711"):
            request_login_link(address)
        thread.join()


def test_a_place_where_nothing_can_be_written_is_named(tmp_path: Path, runtime: Path) -> None:
    with hold_address(tmp_path, "127.0.0.1", 1):
        (file,) = runtime.glob("*.server.json")
    file.unlink()
    file.mkdir()
    with pytest.raises(BadInput, match=file.name), hold_address(tmp_path, "127.0.0.1", 1):
        raise AssertionError("it was held")


def test_the_redirect_is_private_and_leads_exactly_there(runtime: Path) -> None:
    link = 'http://127.0.0.1:8417/enter?token=a&b="<'
    path = write_redirect(link)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(runtime.stat().st_mode) == 0o700
    assert "token=a&amp;b=&quot;&lt;" in path.read_text()


def test_only_redirects_that_are_too_old_are_swept(runtime: Path) -> None:
    old, new = write_redirect("x"), write_redirect("y")
    os.utime(old, (1000, 1000))
    sweep_redirects(30, now=new.stat().st_mtime)
    assert list(runtime.iterdir()) == [new]
