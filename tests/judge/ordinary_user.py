"""Run a program as an ordinary user, wherever the interpreter and the checkout lie.

Root often keeps both below folders that nobody else may enter. In a tree of mounts of its own the
program sees such folders as empty ones that anybody may pass, with only what it needs inside.
"""

import os
import shutil
import stat
import sys
from pathlib import Path

NOBODY = 65534


def command(argv: list[str], *, needed: list[Path]) -> list[str]:
    """Write the command that runs a program as nobody.

    Args:
        argv: The program and its arguments.
        needed: What it must be able to reach besides the interpreter and its packages.
    """
    bubblewrap, setpriv = shutil.which("bwrap"), shutil.which("setpriv")
    assert bubblewrap is not None, "the preflight installs bubblewrap"
    assert setpriv is not None, "every Linux has util-linux"
    paths = [Path(sys.base_prefix), Path(sys.prefix), *needed]
    walls = [bubblewrap, "--dev-bind", "/", "/", "--cap-add", "ALL"]
    closed = _closed_folders(paths)
    for folder in closed:
        walls += ["--perms", "0755", "--tmpfs", str(folder)]
    for path in (path.resolve() for path in paths):
        # Folders that bubblewrap makes on the way would be closed again.
        for parent in reversed(path.parents):
            if any(parent.is_relative_to(folder) and parent != folder for folder in closed):
                walls += ["--perms", "0755", "--dir", str(parent)]
        walls += ["--bind", str(path), str(path)]
    identity = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return [*walls, "--", *identity, "--bounding-set=-all", "--inh-caps=-all", *argv]


def _closed_folders(paths: list[Path]) -> list[Path]:
    """List the folders above some paths that others may not pass, outermost first."""
    above = {parent for path in paths for parent in path.resolve().parents}
    return sorted(folder for folder in above if not os.stat(folder).st_mode & stat.S_IXOTH)
