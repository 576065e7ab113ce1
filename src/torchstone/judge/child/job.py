"""Job process: confine itself, then answer requests on its own socket.

The order matters. Each step of confinement removes what an earlier one needed, and the first byte
of the submission is read only after the last step.

From the supervisor the process of a file in Python gets 32 bytes, the key of the job, and then
frames: ``LOAD`` (source, probe, names; or what was built), then ``CASE`` (one
request) any number of times. Frames to it: ``LOADED`` (or why not), then ``ANSWER`` (one answer
each). Nothing here decides anything; a process that ends or sends something else is judged by the
answers that are missing.
"""

from __future__ import annotations

import os
import random
import resource
import secrets
import socket
from dataclasses import replace
from typing import Any

from . import confine, pages, stream, wire
from .fault import Fault, describe_error
from .frames import FromJob
from .loopback import LoopbackCounter
from .payloads import (
    FilePayload,
    KernelsPayload,
    LibraryPayload,
    OperatorPayload,
    WheelPayload,
    read_payload,
)
from .records import LoadErrorRecord, Scope
from .zygote_messages import JobSpec, Prepared, ZygoteSettings

# Room for what Python itself allocates around the tensors that a problem's limit is about.
SLACK_BYTES = 64 << 20
NUM_TASKS = 64
# Four ranks with the threads of gloo, some for each group.
NUM_TASKS_OF_RANKS = 256
REQUEST_CAP = 1 << 30
# The shared memory of a program with workers and of all these.
SHARED_BYTES = 64 << 20
# How much later than the host, which counts all processes together, the kernel ends one of them for
# its time: the end of a worker would be an exception of the program.
SECONDS_FOR_HOST = 3
# What is served by several processes that one of ours leads, and the filter of each of them.
_LED = {"ranks": "rank", "runs": "script", "workers": "worker", "launches": "launched"}
# Events of the interpreter that processes of such a kind may raise; see `bans.PROCESS_EVENTS`.
_EVENTS = {
    **dict.fromkeys(("rank", "worker"), ("os.fork", "os.posix_spawn", "subprocess", "socket")),
    "launched": ("os.fork", "socket"),
}
_WITH_NETWORK, _WITH_SHARED = ("ranks", "launches"), ("workers", "launches")


def run(settings: ZygoteSettings, prepared: Prepared, spec: JobSpec, fds: list[int]) -> None:
    """Confine this process and serve one job."""
    job_fd, report_fd, _ = fds
    enter(settings, prepared, spec, fds)
    if spec.mode == "alone":
        pages.map_large_blocks()
    sock = socket.socket(fileno=job_fd)
    if spec.serve == "kernels":
        _serve_kernels(settings, prepared, spec, sock)
    elif spec.serve in _LED:
        _serve_led(prepared, spec, sock, report_fd)
    elif spec.serve != "source":
        _serve_extension(settings, prepared, spec, sock, report_fd)
    elif settings.role == "submission":
        _serve_submission(settings, prepared, spec, sock, report_fd)
    else:
        _seal(prepared, spec)
        from torchstone.judge.reference import server

        server.serve(sock)


def enter(settings: ZygoteSettings, prepared: Prepared, spec: JobSpec, fds: list[int]) -> None:
    """Confine this process, but for the steps after which no ban can be armed."""
    job_fd, report_fd, output_fd = fds
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    keep = {0, 1, 2, job_fd, report_fd, *prepared.rulesets.values()}
    if settings.namespaces:
        uid = None if settings.uid_base is None else settings.uid_base + spec.slot
        box = {"box_bytes": spec.disk_mib << 20, "box_inodes": 4096} if spec.writable else {}
        confine.enter_job(
            uid=uid,
            executable=spec.serve not in ("source", *_LED),
            network=spec.serve in _WITH_NETWORK,
            shared_bytes=SHARED_BYTES if spec.serve in _WITH_SHARED else 0,
            **box,
        )
    else:
        uid = None
    confine.close_other_fds(keep)
    reseed()
    # Real uids are counted only where the job has one to itself. The processes of a program that
    # starts some are counted apart.
    is_counted = uid is not None and not spec.processes
    most = NUM_TASKS_OF_RANKS if spec.serve == "ranks" else NUM_TASKS
    limit(prepared, spec, num_tasks=most if is_counted else None)
    confine.drop_privileges(uid, count_tasks=spec.processes > 0)
    confine.bind_lifetime()


def take_bans(prepared: Prepared, spec: JobSpec, report_fd: int) -> Scope:
    """Arm the bans and take the last steps of confinement; return the submission's builtins."""
    from . import bans, driver

    scope_builtins = bans.arm(report_fd, filename=driver.SUBMISSION_FILE)
    _seal(prepared, spec, closed=bans.closes_surface())
    bans.seal()
    return scope_builtins


def _serve_submission(
    settings: ZygoteSettings, prepared: Prepared, spec: JobSpec, sock: socket.socket, report_fd: int
) -> None:
    from . import bans, driver, rank, submission

    rank.renew_thread_pool()
    session = driver.Session(bans.while_lifted)
    bare = spec.mode == "bare"
    scope_builtins = take_bans(prepared, spec, report_fd)
    # From here on whatever goes wrong is the submission's doing; before, it was ours.
    stream.send(sock, wire.pack(FromJob.CONFINED, {}))
    if not bans.take_key(sock.fileno()):
        return
    inbox = stream.Inbox(sock.recv_into)
    frame = inbox.receive(blob_cap=REQUEST_CAP)
    if frame is None:
        return
    payload = read_payload(FilePayload, frame)
    try:
        # Before the submission, so that what the probe captures is torch as it came.
        probe = submission.load_probe(payload.probe)
        if payload.probe:
            bans.trust(submission.compile_probe(payload.probe))
        # The bans that hold from its end on are armed by the same native call.
        loaded = bans.load(
            lambda: submission.load(
                payload.source,
                payload.names,
                scope_builtins=scope_builtins,
                execute=payload.kind != "script",
            ),
            bare=bare,
        )
    except submission.LoadError as error:
        stream.send(sock, wire.pack(FromJob.LOADED, {"error": error.record}))
        return
    _answer_all(sock, inbox, loaded, probe, session, bare=bare)


def _answer_all(
    sock: socket.socket, inbox: Any, loaded: Any, probe: Any, session: Any, *, bare: bool = False
) -> None:
    from . import driver

    stream.send(sock, wire.pack(FromJob.LOADED, {}))
    while True:
        # Where no operator may be called, not even an empty tensor is made.
        allocate = bytearray if bare else wire.torch_buffer
        frame = inbox.receive(blob_cap=REQUEST_CAP, allocate=allocate)
        if frame is None:
            return
        request = frame.decode(tensor=wire.torch_tensor, products=True)
        answer = driver.answer(loaded, request["op"], request["data"], session, probe)
        try:
            buffers = wire.pack(FromJob.ANSWER, answer)
        except wire.WireError:
            buffers = wire.pack(FromJob.ANSWER, {"fault": Fault("unsendable").record})
        stream.send(sock, buffers)
        del request, answer, buffers, frame


def _serve_extension(
    settings: ZygoteSettings, prepared: Prepared, spec: JobSpec, sock: socket.socket, report_fd: int
) -> None:
    from . import bans, driver, extension, kernel, native, submission

    is_free = spec.mode == "free"
    if not is_free:
        bans.arm(report_fd)
    session = driver.Session(bans.while_lifted)
    runtime = native.Runtime(spec.runtime) if spec.runtime else None
    _seal(prepared, spec)
    stream.send(sock, wire.pack(FromJob.CONFINED, {}))
    inbox = stream.Inbox(sock.recv_into)
    frame = inbox.receive(blob_cap=REQUEST_CAP)
    if frame is None:
        return
    payload = _read_built(spec, frame)
    try:
        probe = submission.read_probe(payload.probe)
        if isinstance(payload, OperatorPayload):
            assert runtime is not None, "a launcher runs on the simulator"
            module = native.Module(payload.fast, settings.box, runtime)
            kernel.offer(probe.kernel(kernel.Launcher(module)))
            bans.refuse_processes(report_fd)
            submission.load(payload.source, ())
            loaded: Any = extension.operators_of(payload.namespace, payload.names)
        elif isinstance(payload, LibraryPayload):
            bans.permit_namespace(report_fd, payload.namespace)
            loaded = extension.load_library(
                payload.library, payload.namespace, payload.names, settings.box
            )
        else:
            bans.refuse_processes(report_fd)
            loaded = extension.load_wheel(
                payload.wheel, payload.module, payload.names, settings.box
            )
        submission.apply(probe.glue)
    except submission.LoadError as error:
        stream.send(sock, wire.pack(FromJob.LOADED, {"error": error.record}))
        return
    _answer_all(sock, inbox, loaded, probe.answer, session)


def _read_built(
    spec: JobSpec, frame: wire.Frame
) -> OperatorPayload | LibraryPayload | WheelPayload:
    if spec.runtime:
        return read_payload(OperatorPayload, frame)
    if spec.serve == "extension":
        return read_payload(LibraryPayload, frame)
    return read_payload(WheelPayload, frame)


def _serve_led(prepared: Prepared, spec: JobSpec, sock: socket.socket, report_fd: int) -> None:
    """Serve a submission as several processes; this one runs no code of the submission."""
    from . import bans, census, driver, launches, leader, rank, series, submission

    counter = LoopbackCounter() if spec.serve in _WITH_NETWORK else None
    # Of the ranks of a script the first alone may write.
    has_writer = spec.serve == "launches" and "launched" in prepared.rulesets
    of_others = os.dup(prepared.rulesets["launched"]) if has_writer else None
    _seal(prepared, spec)
    stream.send(sock, wire.pack(FromJob.CONFINED, {}))
    inbox = stream.Inbox(sock.recv_into)
    frame = inbox.receive(blob_cap=REQUEST_CAP)
    if frame is None:
        return
    payload = read_payload(FilePayload, frame)

    def enter_process(
        num_at_once: int, *, network: bool = True, writes: bool = True
    ) -> rank.Loader:
        """Confine a process that was just forked; only its submission's code is left to load."""
        sock.close()
        if counter is not None:
            counter.close()
        # Every process has its part of the memory: not every level counts them together.
        share = replace(spec, memory_mib=spec.memory_mib // _num_parts(spec, num_at_once))
        limit(prepared, share, num_tasks=_num_tasks(spec))
        confine.bind_lifetime()
        rank.renew_thread_pool()
        session = driver.Session(bans.while_lifted)
        scope_builtins = bans.arm(report_fd, filename=driver.SUBMISSION_FILE)
        kind = _LED[spec.serve] if network else "python"
        if of_others is not None:
            if not writes:
                confine.landlock_restrict(of_others)
            os.close(of_others)
        confine.load_seccomp(prepared.filters[kind])
        bans.seal(permitted=_EVENTS.get(kind, ()))
        probe = submission.load_probe(payload.probe)
        if payload.probe:
            bans.trust(submission.compile_probe(payload.probe))

        def load() -> Any:
            return submission.load(
                payload.source,
                payload.names,
                scope_builtins=scope_builtins,
                execute=payload.kind != "script",
            )

        return rank.Loader(load=lambda: bans.load(load, bare=False), probe=probe, session=session)

    if spec.serve == "workers":
        workers = leader.respond_with_workers(submission.read_probe(payload.probe).conclude)
        leader.serve(sock, inbox, enter_process, workers, clean=census.sweep)
        return
    respond: leader.Respond = series.respond_with_runs
    if counter is not None:
        several = launches.respond_with_launches if spec.serve == "launches" else None
        respond = (several or leader.respond_with_ranks)(counter.num_sent)
    leader.serve(sock, inbox, enter_process, respond)


def _serve_kernels(
    settings: ZygoteSettings, prepared: Prepared, spec: JobSpec, sock: socket.socket
) -> None:
    from . import native

    assert spec.runtime is not None, "the simulator is built before kernels are served"
    runtime = native.Runtime(spec.runtime)
    _seal(prepared, spec)
    stream.send(sock, wire.pack(FromJob.CONFINED, {}))
    inbox = stream.Inbox(sock.recv_into)
    frame = inbox.receive(blob_cap=REQUEST_CAP)
    if frame is None:
        return
    try:
        payload = read_payload(KernelsPayload, frame)
        module = native.Module(payload.module, settings.box, runtime)
    except OSError as error:
        record: LoadErrorRecord = {
            "code": "RTE",
            "key": "load.raised",
            "error": describe_error(error),
        }
        stream.send(sock, wire.pack(FromJob.LOADED, {"error": record}))
        return
    stream.send(sock, wire.pack(FromJob.LOADED, {}))
    while True:
        frame = inbox.receive(blob_cap=REQUEST_CAP, allocate=wire.torch_buffer)
        if frame is None:
            return
        request = frame.decode(tensor=wire.torch_tensor, products=True)
        stream.send(sock, wire.pack(FromJob.ANSWER, module.answer(request["data"])))
        del request, frame


def reseed() -> None:
    """Reseed all random generators of this fork; every fork inherits the zygote's state."""
    import numpy as np
    import torch

    random.seed(secrets.token_bytes(32))
    np.random.seed(secrets.randbits(32))
    # Not torch.manual_seed, which also wakes every accelerator back end (4 ms).
    torch.default_generator.manual_seed(secrets.randbits(62))


def limit(prepared: Prepared, spec: JobSpec, *, num_tasks: int | None) -> None:
    """Set the resource limits of the job; memory counts above what the zygote already holds."""
    memory = (spec.memory_mib << 20) + SLACK_BYTES
    # The simulator reserves addresses by the hundred GiB, and what a case makes of them is mapped
    # but hardly touched; there the control group is the limit.
    is_native = spec.serve == "kernels"
    confine.set_rlimits(
        confine.Rlimits(
            cpu_s=int(spec.cpu_s + 0.999) + (SECONDS_FOR_HOST if spec.processes else 0),
            # Thread stacks and allocator arenas reserve address space that they never touch.
            address_space_bytes=(
                None if is_native else prepared.address_space_bytes + memory + (512 << 20)
            ),
            data_bytes=None if is_native else prepared.data_bytes + memory,
            stack_bytes=None,
            # One file may take half of the disk.
            file_bytes=spec.disk_mib << 19 if spec.writable else 0,
            # Each tensor in shared memory keeps one open.
            num_files=1024 if spec.processes else 64,
            num_processes=num_tasks,
        )
    )
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (min(soft, 8 << 20) if soft >= 0 else 8 << 20, hard))


def _num_tasks(spec: JobSpec) -> int | None:
    """Return how many threads all processes of the job may have together, if they are counted.

    A worker of a loader has two, and its queue one more in the process that started it.
    """
    if spec.serve == "launches":
        # A rank has those of gloo, of its store and of autograd.
        return 16 + 10 * spec.processes
    return 8 + 4 * spec.processes if spec.processes else None


def _num_parts(spec: JobSpec, num_at_once: int) -> int:
    """Return into how many parts the memory of the job is divided."""
    if spec.serve == "launches":
        return max(num_at_once, spec.processes)
    return num_at_once + spec.processes


def _seal(prepared: Prepared, spec: JobSpec, *, closed: bool = False) -> None:
    if prepared.rulesets:
        writes = "writing" if spec.writable else "reading"
        # What examines operators lies where a submission in Python may read nothing.
        name = "examining" if spec.mode == "free" else writes
        # A problem that bans something shows of torch what is allowed.
        name = f"{name} closed" if closed else name
        name = spec.serve if spec.serve in ("ranks", "workers", "launches") else name
        confine.landlock_restrict(prepared.rulesets[name])
        for spent in prepared.rulesets.values():
            os.close(spent)
    program = prepared.filters.get(spec.filter)
    if program is not None:
        confine.load_seccomp(program)
