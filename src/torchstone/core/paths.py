"""XDG folders of Torchstone: configuration, data, cache, runtime and workspace.

==========  ========================  ==========================================================
what        variable                  default
==========  ========================  ==========================================================
config      ``TORCHSTONE_CONFIG``     ``$XDG_CONFIG_HOME/torchstone`` or ``~/.config/torchstone``
data        ``TORCHSTONE_DATA``       ``$XDG_DATA_HOME/torchstone`` or ``~/.local/share/torchstone``
cache       ``TORCHSTONE_CACHE``      ``$XDG_CACHE_HOME/torchstone`` or ``~/.cache/torchstone``
runtime     ``TORCHSTONE_RUNTIME``    ``$XDG_RUNTIME_DIR/torchstone`` or ``<tmp>/torchstone-<uid>``
workspace   ``TORCHSTONE_WORKSPACE``  ``~/torchstone``
==========  ========================  ==========================================================

The variables are read at each call, so a test or a child process can change every folder.
"""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from torchstone.core.errors import BadInput

# sun_path holds 108 bytes on Linux, including the final zero.
MAX_SOCKET_BYTES = 107
_PRIVATE = 0o700


def config_dir() -> Path:
    """Return the folder of ``config.toml``; the folder may be missing, because it is only read."""
    return _choose("TORCHSTONE_CONFIG", "XDG_CONFIG_HOME", ".config")


def data_dir() -> Path:
    """Return the folder of the database and the submissions; it has at most one judge host."""
    return private_dir(_choose("TORCHSTONE_DATA", "XDG_DATA_HOME", ".local/share"))


def cache_dir() -> Path:
    """Return the folder of rebuildable files, such as the compiled extension."""
    return private_dir(_choose("TORCHSTONE_CACHE", "XDG_CACHE_HOME", ".cache"))


def runtime_dir() -> Path:
    """Return the folder of sockets and locks; it must belong to this user alone.

    Raises:
        BadInput: The folder belongs to another user, or other users can enter it.
    """
    chosen = _from_environment("TORCHSTONE_RUNTIME")
    if chosen is None:
        xdg = _xdg("XDG_RUNTIME_DIR")
        chosen = xdg / "torchstone" if xdg else _temporary_runtime(Path(tempfile.gettempdir()))
    return _guarded_dir(chosen)


def workspace_dir() -> Path:
    """Return the folder of the learner's solutions."""
    chosen = _from_environment("TORCHSTONE_WORKSPACE")
    return private_dir(chosen if chosen else _home() / "torchstone")


def socket_path(data: Path | None = None) -> Path:
    """Return the Unix socket of the judge host that serves one data folder.

    The name is a hash of the data folder, so hosts of different folders use different sockets. If
    the path of the runtime folder is too long for a Unix socket, a temporary folder replaces it.

    Args:
        data: The data folder; ``data_dir()`` by default.
    """
    served = (data if data is not None else data_dir()).resolve()
    name = hashlib.sha256(os.fsencode(served)).hexdigest()[:16] + ".sock"
    preferred = runtime_dir() / name
    if _fits_a_socket(preferred):
        return preferred
    for parent in (Path(tempfile.gettempdir()), Path("/tmp")):
        candidate = _temporary_runtime(parent) / name
        if _fits_a_socket(candidate):
            _guarded_dir(candidate.parent)
            return candidate
    raise AssertionError("socket_path: /tmp always fits a Unix socket")


def private_dir(path: Path) -> Path:
    """Create a folder that only this user can enter, unless it exists, and return it.

    Raises:
        BadInput: The folder cannot be created, or the path is something else.
    """
    try:
        path.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput("core.folder_unusable", path=path, reason=error.strerror) from error
    return path


def is_private_dir(path: Path) -> bool:
    """Return whether a folder exists, belongs to this user, and other users cannot enter it."""
    try:
        # lstat: a symbolic link in a shared temporary folder must not be followed.
        status = path.lstat()
    except OSError:
        return False
    is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return is_ours and not stat.S_IMODE(status.st_mode) & 0o077


def _choose(variable: str, xdg_variable: str, below_home: str) -> Path:
    chosen = _from_environment(variable)
    if chosen is not None:
        return chosen
    return (_xdg(xdg_variable) or _home() / below_home) / "torchstone"


def _from_environment(variable: str) -> Path | None:
    value = os.environ.get(variable, "")
    return Path(value).expanduser().absolute() if value else None


def _xdg(variable: str) -> Path | None:
    value = os.environ.get(variable, "")
    # The XDG base directory specification: a relative path is invalid and must be ignored.
    return Path(value) if os.path.isabs(value) else None


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise BadInput("core.no_home") from error


def _temporary_runtime(parent: Path) -> Path:
    return parent / f"torchstone-{os.getuid()}"


def _guarded_dir(path: Path) -> Path:
    private_dir(path)
    if not is_private_dir(path):
        raise BadInput("core.folder_unsafe", path=path)
    return path


def _fits_a_socket(path: Path) -> bool:
    return len(os.fsencode(path)) <= MAX_SOCKET_BYTES
