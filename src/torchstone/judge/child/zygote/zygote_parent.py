"""Process that imports torch once and forks the zygotes.

It also prepares the submission zygote's bans, disarmed: this touches so much memory that the forks
would share little of torch afterwards. It lives as long as the zygotes: it ends when the first of
them ends, and the kernel then ends the others.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys

from ..bans import bans, survey
from ..protocol.zygote_messages import ZygoteSettings
from . import pages, preloading, zygote

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Fork one zygote for each role in the settings and wait for the first to end."""
    settings = json.loads(sys.argv[1])
    preloading.import_torch()
    bans.install(os.path.join(settings["import_path"][0], "native.so"))
    survey.take()
    preloading.import_jobs()
    bans.prepare()
    # A collection would touch, and so copy, every object that the forks share.
    gc.collect()
    gc.freeze()
    pages.trim()
    pages.release_files()
    pages.collapse()
    roles = {role: ZygoteSettings(**own) for role, own in settings["roles"].items()}
    for role in roles:
        if os.fork() == 0:
            _run_zygote(roles, role)
    for own in roles.values():
        _close(own)
    os.wait()


def _run_zygote(roles: dict[str, ZygoteSettings], role: str) -> None:
    status = 1
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        for other, settings in roles.items():
            if other != role:
                _close(settings)
        one = zygote.Zygote(roles[role])
        one.prepare()
        one.serve()
        status = 0
    except BaseException as error:  # noqa: BLE001  this process must not return into the zygote parent
        sys.stderr.write(f"{role}: {type(error).__name__}: {error}\n")
        sys.stderr.flush()
    finally:
        os._exit(status)


def _close(settings: ZygoteSettings) -> None:
    for fd in (settings.control_fd, *settings.filter_fds.values()):
        os.close(fd)


if __name__ == "__main__":
    main()
