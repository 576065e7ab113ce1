"""The smallest zygote: forks a confined job for each request. Runs inside the sandbox only.

Requests on the control socket are JSON objects; a job gets its code on a socket of its own and
answers there with what the code assigned to `answer`.
"""

import gc
import json
import os
import signal
import socket
import sys
import time
import traceback
from typing import Any

from child.confinement import confine

SETTINGS: dict[str, Any] = json.loads(sys.argv[1])


def read_all(fd: int) -> bytes:
    with os.fdopen(fd, "rb") as file:
        return file.read()


def receive(connection: socket.socket) -> str:
    size = int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "little")
    return connection.recv(size, socket.MSG_WAITALL).decode()


def send(connection: socket.socket, words: str) -> None:
    data = words.encode()
    connection.sendall(len(data).to_bytes(4, "little") + data)


class Zygote:
    def __init__(self, modules: list[str]) -> None:
        for name in modules:
            __import__(name)
        if "torch" in modules:
            import torch

            torch.set_num_threads(1)
            torch.ones(8, 8) @ torch.ones(8, 8)
        self.filters = {
            kind: confine.prepare_seccomp(read_all(fd))
            for kind, fd in SETTINGS["filter_fds"].items()
        }
        self.ruleset: int | None = None
        if SETTINGS["level"] != "none" and confine.landlock_abi():
            self.ruleset = confine.landlock_ruleset(
                SETTINGS["read_only"], SETTINGS["read_write"], SETTINGS["hide"]
            )
        self.namespaces: confine.PidNamespaces | None = None
        if SETTINGS["namespaces"]:
            confine.make_mounts_private()
            confine.leave_proc()
            self.namespaces = confine.PidNamespaces()
        gc.collect()
        gc.freeze()

    def fork(self) -> int:
        return self.namespaces.fork() if self.namespaces else os.fork()

    def confine(self, job: dict[str, Any], procs_fds: list[int]) -> None:
        base = SETTINGS["uid_base"]
        uid = None if base is None else base + job["slot"]
        confine.join_cgroup(procs_fds)
        if self.namespaces:
            box_bytes = job.get("box_bytes", 0)
            confine.enter_job(box_bytes=box_bytes, box_inodes=job.get("box_inodes", 0), uid=uid)
        elif job.get("box_bytes"):
            os.chdir(SETTINGS["box"])
        confine.set_rlimits(confine.Rlimits(**job.get("limits", {})))
        confine.drop_privileges(uid)
        confine.bind_lifetime()
        if self.ruleset is not None:
            confine.landlock_restrict(self.ruleset)
        # A bare job shows what the other walls hold back on their own.
        if self.filters and job["kind"] != "bare":
            confine.load_seccomp(self.filters[job["kind"]])

    def run_job(self, job: dict[str, Any], connection: socket.socket, procs: list[int]) -> None:
        started = time.perf_counter()
        confine.close_other_fds([0, 1, 2, connection.fileno(), *procs, *self.kept()])
        self.confine(job, procs)
        confined_ms = (time.perf_counter() - started) * 1e3
        scope: dict[str, Any] = {"confined_ms": confined_ms}
        exec(receive(connection), scope)
        send(connection, json.dumps(scope.get("answer"), default=repr))

    def kept(self) -> list[int]:
        return [] if self.ruleset is None else [self.ruleset]

    def start(self, job: dict[str, Any], fds: list[int]) -> int:
        pid = self.fork()
        if pid:
            for fd in fds:
                os.close(fd)
            return pid
        connection = socket.socket(fileno=fds[0])
        status = 1
        try:
            self.run_job(job, connection, fds[1:])
            status = 0
        except BaseException:  # noqa: BLE001  the test must hear of SystemExit too
            send(connection, json.dumps({"raised": traceback.format_exc()}))
        finally:
            os._exit(status)


def wait(pid: int) -> dict[str, Any]:
    _, status, usage = os.wait4(pid, 0)
    return {"status": status, "cpu_s": usage.ru_utime + usage.ru_stime, "rss_kib": usage.ru_maxrss}


def main() -> None:
    control = socket.socket(fileno=SETTINGS["control_fd"])
    started = time.perf_counter()
    zygote = Zygote(json.loads(control.recv(4096)))
    answer: dict[str, Any] = {"pid": os.getpid(), "start_s": time.perf_counter() - started}
    while True:
        control.sendall(json.dumps(answer).encode())
        message, fds, _, _ = socket.recv_fds(control, 65536, 4)
        if not message:
            return
        request = json.loads(message)
        if "start" in request:
            answer = {"pid": zygote.start(request["start"], fds)}
        elif "wait" in request:
            answer = wait(request["wait"])
        elif "kill" in request:
            os.kill(request["kill"], signal.SIGKILL)
            answer = {}
        else:
            answer = {"pid": os.getpid(), "num_fds": sum(map(_is_open, range(256)))}


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
