"""Build backend hooks (PEP 517), each run in a separate process.

This program imports no other module of Torchstone. Most packages import torch to build their
extension, so this program imports torch once and then forks a process for each hook, in which the
code of the submission runs. An order is a line of JSON: ``hook``, ``cwd``, ``made`` (the folder for
the product) and ``log`` (the file for the output). The answer is a line with the ``status`` of the
process. The first line reports that all imports are done.
"""

import importlib
import json
import os
import sys
import traceback


def main() -> None:
    """Answer orders until the input ends."""
    sys.path.append(sys.argv[1])
    backend = importlib.import_module("setuptools.build_meta")
    importlib.import_module("torch.utils.cpp_extension")
    _answer(0)
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _call(backend, order)
        _, status = os.waitpid(pid, 0)
        _answer(os.waitstatus_to_exitcode(status))


def _answer(status: int) -> None:
    sys.stdout.write(json.dumps({"status": status}) + "\n")
    sys.stdout.flush()


def _call(backend: object, order: dict[str, str]) -> None:
    """Call one hook and end the process."""
    status = 1
    try:
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        null = os.open(os.devnull, os.O_RDONLY)
        for fd, target in ((null, 0), (log, 1), (log, 2)):
            os.dup2(fd, target)
        os.chdir(order["cwd"])
        getattr(backend, order["hook"])(order["made"])
        status = 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 1
        sys.stderr.write(f"{stop.code}\n")
    # The last line of the log names the exception, including SystemExit and KeyboardInterrupt.
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
