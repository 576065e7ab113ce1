"""Job process: confine itself, then answer requests on its own socket.

The order matters: each step of confinement removes what an earlier one needed, and the first byte
of the submission is read only after the last step.

For a Python file the supervisor sends 32 bytes, the key of the job, and then frames: one ``LOAD``
(source, probe, names; or the build result), then ``CASE`` (one request) any number of times. The
job sends ``LOADED`` (or the reason why not), then one ``ANSWER`` for each case. The job decides
nothing; if the process ends or sends something else, the missing answers are judged.
"""

from __future__ import annotations

import functools
import importlib
import os
import random
import secrets
import socket
from typing import Any

from ..answering.fault import Fault, describe_error
from ..confinement import confine, job_limits
from ..processes.loopback import LoopbackCounter
from ..protocol import stream, wire
from ..protocol.frames import FromJob
from ..protocol.payloads import (
    FilePayload,
    KernelsPayload,
    LibraryPayload,
    OperatorPayload,
    WheelPayload,
    read_payload,
)
from ..protocol.records import LoadErrorRecord, Scope
from ..protocol.zygote_messages import JobSpec, Prepared, ZygoteSettings
from . import pages

REQUEST_CAP = 1 << 30
# Size in bytes of the shared memory of a program together with its workers.
SHARED_BYTES = 64 << 20


def run(settings: ZygoteSettings, prepared: Prepared, spec: JobSpec, fds: list[int]) -> None:
    """Confine this process and serve one job."""
    job_fd, report_fd, _ = fds
    enter(settings, prepared, spec, fds)
    if spec.mode == "alone":
        # Do not touch the memory: pages that are only reserved would count towards the peak.
        pages.map_large_blocks()
    elif settings.role == "submission" and spec.serve != "kernels":
        pages.fill_blocks()
    sock = socket.socket(fileno=job_fd)
    if spec.serve == "kernels":
        _serve_kernels(settings, prepared, spec, sock)
    elif spec.member is not None:
        _serve_led(prepared, spec, sock, report_fd)
    elif spec.serve != "source":
        _serve_extension(settings, prepared, spec, sock, report_fd)
    elif settings.role == "submission":
        _serve_submission(settings, prepared, spec, sock, report_fd)
    else:
        _seal(prepared, spec)
        importlib.import_module(settings.server).serve(sock)


def enter(settings: ZygoteSettings, prepared: Prepared, spec: JobSpec, fds: list[int]) -> None:
    """Take all steps of confinement except those after which no ban can be armed."""
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
            executable=spec.maps_code,
            network=spec.network,
            shared_bytes=SHARED_BYTES if spec.shares_memory else 0,
            **box,
        )
    else:
        uid = None
    confine.close_other_fds(keep)
    reseed()
    # RLIMIT_NPROC counts tasks of a real uid, so it needs a uid of the job's own. Programs that
    # start processes are counted in a user namespace instead.
    is_counted = uid is not None and not spec.processes
    job_limits.apply(prepared, spec, num_tasks=spec.num_tasks if is_counted else None)
    confine.drop_privileges(uid, count_tasks=spec.processes > 0)
    confine.bind_lifetime()


def take_bans(prepared: Prepared, spec: JobSpec, report_fd: int) -> Scope:
    """Arm the bans and finish the confinement; return the builtins for the submission."""
    from .. import driver
    from ..bans import bans

    scope_builtins = bans.arm(report_fd, filename=driver.SUBMISSION_FILE)
    _seal(prepared, spec, closed=bans.closes_surface())
    bans.seal()
    return scope_builtins


def _serve_submission(
    settings: ZygoteSettings, prepared: Prepared, spec: JobSpec, sock: socket.socket, report_fd: int
) -> None:
    from .. import driver
    from ..bans import bans
    from ..loaders import submission
    from ..processes import rank

    rank.renew_thread_pool()
    session = driver.Session(bans.while_lifted)
    bare = spec.mode == "bare"
    scope_builtins = take_bans(prepared, spec, report_fd)
    # Failures before this frame are faults of the judge, later ones of the submission.
    stream.send(sock, wire.pack(FromJob.CONFINED, {}))
    if not bans.take_key(sock.fileno()):
        return
    inbox = stream.Inbox(sock.recv_into)
    frame = inbox.receive(blob_cap=REQUEST_CAP)
    if frame is None:
        return
    payload = read_payload(FilePayload, frame)
    try:
        # The probe loads before the submission, so that it captures torch unmodified.
        probe = submission.load_probe(payload.probe)
        if payload.probe:
            bans.trust(submission.compile_probe(payload.probe))
        # The native call also arms the bans that apply once loading has ended.
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
    from .. import driver

    stream.send(sock, wire.pack(FromJob.LOADED, {}))
    while True:
        # In bare mode no operator may be called, not even to allocate a tensor.
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
    from .. import driver
    from ..bans import bans
    from ..loaders import extension, kernel, native, submission

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
    """Serve a submission that runs as several processes; this one runs no code of it."""
    from .. import driver
    from ..bans import bans
    from ..loaders import submission
    from ..processes import census, leader, rank

    counter = LoopbackCounter() if spec.network else None
    # Among the ranks of a script only the first may write.
    has_writer = spec.serve == "launches" and "launched" in prepared.rulesets
    of_others = os.dup(prepared.rulesets["launched"]) if has_writer else None
    _seal(prepared, spec)
    stream.send(sock, wire.pack(FromJob.CONFINED, {}))
    inbox = stream.Inbox(sock.recv_into)
    frame = inbox.receive(blob_cap=REQUEST_CAP)
    if frame is None:
        return
    payload = read_payload(FilePayload, frame)
    has_workers = spec.serve == "workers"

    def enter_process(
        num_at_once: int, *, network: bool = True, writes: bool = True
    ) -> rank.Loader:
        """Confine a newly forked process; afterwards only the submission remains to be loaded."""
        sock.close()
        if counter is not None:
            counter.close()
        job_limits.apply_share(prepared, spec, num_at_once)
        # Process 1 counts the descriptors of a program that starts workers.
        confine.bind_lifetime(is_shown=has_workers)
        rank.renew_thread_pool()
        session = driver.Session(bans.while_lifted)
        seen = bans.arm(report_fd, filename=driver.SUBMISSION_FILE, has_workers=has_workers)
        assert spec.member is not None, "a leader starts processes of the submission"
        if of_others is not None:
            if not writes:
                confine.landlock_restrict(of_others)
            os.close(of_others)
        confine.load_seccomp(prepared.filters[spec.member if network else "python"])
        bans.seal(permitted=spec.events if network else ())
        probe = submission.load_probe(payload.probe)
        if payload.probe:
            bans.trust(submission.compile_probe(payload.probe))

        load = functools.partial(
            submission.load,
            payload.source,
            payload.names,
            scope_builtins=seen,
            execute=payload.kind != "script",
        )
        return rank.Loader(load=lambda: bans.load(load, bare=False), probe=probe, session=session)

    of_job = census.JobCensus()
    traffic = (lambda: 0) if counter is None else counter.num_sent
    respond = _responder(spec, payload, traffic, of_job)
    clean = of_job.sweep if has_workers else None
    leader.serve(sock, inbox, enter_process, respond, clean=clean)


def _responder(spec: JobSpec, payload: FilePayload, traffic: Any, of_job: Any) -> Any:
    """Return the function that answers a request with the processes of this kind."""
    from ..loaders import submission
    from ..processes import leader, program
    from ..scripts import launches, series

    if spec.serve == "workers":
        conclude = submission.read_probe(payload.probe).conclude
        return program.respond_with_workers(conclude, of_job)
    if spec.serve == "runs":
        return series.respond_with_runs
    if spec.serve == "launches":
        return launches.respond_with_launches(traffic, of_job)
    return leader.respond_with_ranks(traffic)


def _serve_kernels(
    settings: ZygoteSettings, prepared: Prepared, spec: JobSpec, sock: socket.socket
) -> None:
    from ..loaders import native

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
    """Reseed all random generators of this fork, which inherits the zygote's state."""
    import numpy as np
    import torch

    random.seed(secrets.token_bytes(32))
    np.random.seed(secrets.randbits(32))
    # torch.manual_seed would also initialize every accelerator backend (4 ms).
    torch.default_generator.manual_seed(secrets.randbits(62))


def _seal(prepared: Prepared, spec: JobSpec, *, closed: bool = False) -> None:
    if prepared.rulesets:
        writes = "writing" if spec.writable else "reading"
        # The tools that examine operators lie in a folder hidden from Python submissions.
        name = "examining" if spec.mode == "free" else writes
        # A problem with bans hides the files of torch that are not allowed.
        name = f"{name} closed" if closed else name
        confine.landlock_restrict(prepared.rulesets[spec.ruleset or name])
        for spent in prepared.rulesets.values():
            os.close(spent)
    program = prepared.filters.get(spec.filter)
    if program is not None:
        confine.load_seccomp(program)
