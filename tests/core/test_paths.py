import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from torchstone.core import paths
from torchstone.core.errors import BadInput

pytestmark = pytest.mark.pure

VARIABLES = [
    *(f"TORCHSTONE_{name}" for name in ("CONFIG", "DATA", "CACHE", "RUNTIME", "WORKSPACE")),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"),
]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_defaults_are_the_xdg_folders_below_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert paths.config_dir() == home / ".config/torchstone"
    assert paths.data_dir() == home / ".local/share/torchstone"
    assert paths.cache_dir() == home / ".cache/torchstone"
    assert paths.workspace_dir() == home / "torchstone"
    assert paths.runtime_dir() == tmp_path / f"torchstone-{os.getuid()}"


def test_reading_settings_makes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHSTONE_CONFIG", str(tmp_path / "settings"))
    assert paths.config_dir() == tmp_path / "settings"
    assert not paths.config_dir().exists()


@pytest.mark.parametrize("name", ["data", "cache", "runtime", "workspace"])
def test_a_variable_moves_a_folder_and_it_is_made_private(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"TORCHSTONE_{name.upper()}", str(tmp_path / "deep" / name))
    found = getattr(paths, f"{name}_dir")()
    assert found == tmp_path / "deep" / name
    assert stat.S_IMODE(found.stat().st_mode) == 0o700


def test_a_home_sign_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHSTONE_DATA", "~/stones")
    assert paths.data_dir() == tmp_path / "home/stones"


def test_a_relative_xdg_folder_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert paths.data_dir() == tmp_path / "home/.local/share/torchstone"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert paths.data_dir() == tmp_path / "xdg/torchstone"


def test_a_folder_that_cannot_be_made_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TORCHSTONE_DATA", str(tmp_path / "file" / "below"))
    with pytest.raises(BadInput) as caught:
        paths.data_dir()
    assert caught.value.code == "core.folder_unusable"


@pytest.mark.parametrize("mode", [0o777, 0o750, 0o701])
def test_a_runtime_folder_that_others_can_enter_is_refused(
    mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(mode)
    monkeypatch.setenv("TORCHSTONE_RUNTIME", str(folder))
    with pytest.raises(BadInput) as caught:
        paths.runtime_dir()
    assert caught.value.code == "core.folder_unsafe"


def test_a_link_planted_as_the_runtime_folder_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir(mode=0o700)
    (tmp_path / f"torchstone-{os.getuid()}").symlink_to(target)
    with pytest.raises(BadInput):
        paths.runtime_dir()


def test_a_runtime_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("TORCHSTONE_RUNTIME", str(folder))
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(BadInput):
        paths.runtime_dir()


def test_each_data_folder_has_a_socket_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Short, whatever the name of the folder of the tests: in a deep one a socket cannot be bound.
    with tempfile.TemporaryDirectory() as short:
        monkeypatch.setenv("TORCHSTONE_RUNTIME", short)
        first, second = paths.socket_path(tmp_path / "a"), paths.socket_path(tmp_path / "b")
        assert first != second
        assert first == paths.socket_path(tmp_path / "b" / ".." / "a")
        assert first.parent == paths.runtime_dir()


def test_the_socket_of_a_deep_runtime_folder_still_binds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    monkeypatch.setenv("TORCHSTONE_RUNTIME", str(deep))
    found = paths.socket_path(tmp_path / "data")
    assert len(os.fsencode(found)) <= paths.MAX_SOCKET_BYTES
    assert deep not in found.parents
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(found))
        found.unlink()


def test_a_path_of_exactly_the_limit_binds_and_one_byte_more_does_not(tmp_path: Path) -> None:
    room = paths.MAX_SOCKET_BYTES - len(os.fsencode(tmp_path)) - 1
    with socket.socket(socket.AF_UNIX) as listener:
        with pytest.raises(OSError, match="too long"):
            listener.bind(str(tmp_path / ("s" * (room + 1))))
        listener.bind(str(tmp_path / ("s" * room)))


def test_without_any_home_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(BadInput, match="HOME is not set"):
        paths.workspace_dir()
