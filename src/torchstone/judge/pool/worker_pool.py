"""Pool of zygotes and warm reference processes, which supply the processes of jobs."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from torchstone.bank.schema import Kind
from torchstone.core.isolation import Isolation
from torchstone.judge.build.compiler_client import BuildService
from torchstone.judge.events import Emit
from torchstone.judge.messages import Report
from torchstone.judge.native.build import library, torch_folder
from torchstone.judge.order import Order
from torchstone.judge.pool.payload import Bans
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.submission_supervisor import JobWorkers, Supervisor
from torchstone.judge.pool.zygotes import READY_SECONDS, Zygote, ZygoteDied, ZygoteParent
from torchstone.judge.sandbox import compiling
from torchstone.judge.sandbox.cgroups import Cgroup, create_group, group_name, sweep_groups
from torchstone.judge.sandbox.command import Launch, Role, zygote_parent_command
from torchstone.judge.sandbox.levels import achieved, probe_machine
from torchstone.judge.sandbox.visible import find_visible

PACKAGE = Path(__file__).resolve().parents[2]
# What the kernel counts for a job besides its own limit: the zygote's pages that it copies, its
# stacks, its tmpfs.
CGROUP_BYTES = 3 << 30
CGROUP_TASKS = 128
# Of each process that builds a submission; a package's build may import torch, which maps much.
ADDRESS_SPACE_BYTES = {Kind.PACKAGE: 8 << 30}
# What a package is built with, besides what these import.
BUILD_IMPORTS = ("setuptools.build_meta", "torch.utils.cpp_extension")
# Templates kept for each slot: those of the problems in work. Each holds a few MiB of its own.
NUM_TEMPLATES = 6


@dataclass(slots=True)
class WorkerPool:
    """Run a zygote parent with its two zygotes, and staff jobs from them.

    Attributes:
        bank_root: The folder that holds ``problems/``.
        cache: Where compiled and measured things are kept between runs.
        capacity: How many jobs run at once.
        at_most: Isolation is not stronger than this, whatever the machine can do (for tests).
        num_kept_builds: How many submissions stay built after their job, for one of the same text.
    """

    bank_root: Path
    cache: Path
    capacity: int = 1
    at_most: Isolation = Isolation.FULL
    num_kept_builds: int = 0
    isolation: Isolation = field(init=False, default=Isolation.NONE)
    _zygote_parent: ZygoteParent | None = field(init=False, default=None)
    _references: list[ReferenceProcess] = field(init=False, default_factory=list)
    # The one that was used last stands last.
    _templates: dict[str, Zygote] = field(init=False, default_factory=dict)
    _groups: dict[int, Cgroup] = field(init=False, default_factory=dict)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    _build_service: BuildService = field(init=False)
    # The kernel ends a sandbox together with the thread that started it, so one thread that stays
    # starts them all.
    _starter: ThreadPoolExecutor = field(
        init=False, default_factory=lambda: ThreadPoolExecutor(1, "zygote-starter")
    )
    _runtime: tempfile.TemporaryDirectory[str] = field(init=False)

    def __post_init__(self) -> None:
        self._runtime = tempfile.TemporaryDirectory(prefix="torchstone-judge-")
        self._build_service = BuildService(self._simulators, self._forge, self.num_kept_builds)

    def start(self) -> None:
        """Start both zygotes and wait until they can fork.

        Raises:
            JudgeUnavailable: The sandbox cannot be built, or torch cannot be imported in it.
            NativeBuildError: The bans cannot be compiled.
        """
        machine = probe_machine()
        self.isolation = achieved(machine, at_most=self.at_most)
        if self.isolation is Isolation.FULL:
            assert machine.cgroup is not None, "level full has control groups"
            sweep_groups(machine.cgroup)
            for slot in range(self.capacity):
                name = group_name(f"{os.getpid()}-{id(self) & 0xFFFF:x}-{slot}")
                group = create_group(
                    machine.cgroup, name, memory_bytes=CGROUP_BYTES, num_tasks=CGROUP_TASKS
                )
                self._groups[slot] = group
        self._starter.submit(self._start).result()
        self._running.wait_ready()

    def judge(
        self,
        order: Order,
        emit: Emit,
        *,
        slot: int = 0,
        then: Callable[[ReferenceProcess], None] | None = None,
    ) -> Report:
        """Judge one order in this thread and return the report.

        Args:
            order: What is judged.
            emit: Takes the events.
            slot: The number of the worker.
            then: Asks the reference something more about the job, at its end.

        Raises:
            ZygoteDied: A zygote ended under the job; call ``revive`` and judge again.
        """
        return self.supervisor(order, emit, slot=slot).run(then)

    def supervisor(self, order: Order, emit: Emit, *, slot: int = 0) -> Supervisor:
        """Return a supervisor that is ready to run, so that a caller can cancel it."""
        return Supervisor(order, self.workers(slot), emit)

    def workers(self, slot: int) -> JobWorkers:
        """Return the processes that serve the jobs of a slot."""
        return JobWorkers(
            template=functools.partial(self._template, slot),
            build_service=self._build_service,
            take_reference=self._take_reference,
            return_reference=self._return_reference,
            problem_folder=self._problem_folder,
            num_oom_kills=functools.partial(self._num_oom_kills, slot),
            slot=slot,
            isolation=self.isolation,
        )

    @contextlib.contextmanager
    def reference(self, order: Order) -> Iterator[ReferenceProcess]:
        """Return a reference process with the order's problem loaded, before any case is made."""
        reference = self._take_reference(order, 0)
        try:
            names = order.assignment.names
            reference.open(self._problem_folder(order), names, order.seed, order.groups)
            yield reference
        except BaseException:
            reference.end()
            raise
        self._return_reference(reference)

    def revive(self) -> None:
        """Start both zygotes anew if one of them ended."""
        with self._lock:
            if self._running.alive:
                return
            self._running.stop()
            self._drop_stems()
            for reference in self._references:
                reference.channel.close()
            self._references.clear()
            self._starter.submit(self._start).result()
            self._running.wait_ready()

    def stop(self) -> None:
        """End every process and remove what they stood on."""
        for reference in self._references:
            reference.channel.close()
        self._build_service.close()
        if self._zygote_parent is not None:
            self._zygote_parent.stop()
        self._drop_stems()
        for group in self._groups.values():
            # What cannot be removed now, the next host sweeps.
            with contextlib.suppress(OSError):
                group.remove(patience_s=5.0)
        self._starter.shutdown()
        self._runtime.cleanup()

    @property
    def pids(self) -> list[int]:
        """Return the pids of the sandboxes' outermost processes."""
        return [] if self._zygote_parent is None else [self._zygote_parent.pid]

    @property
    def _running(self) -> ZygoteParent:
        assert self._zygote_parent is not None, "the worker_pool is started first"
        return self._zygote_parent

    def _start(self) -> None:
        common = {"child": PACKAGE / "judge" / "child"}
        binds = {
            Role.SUBMISSION: common | {"native.so": library()},
            Role.REFERENCE: common | {"torchstone": PACKAGE, "bank": self.bank_root},
        }
        # Under its own name, which stands in what is linked with it. Filled when it is needed.
        self._simulators.mkdir(parents=True, exist_ok=True)
        self._simulators.chmod(0o755)

        def make_launch(control_fds: dict[Role, int]) -> Launch:
            return zygote_parent_command(
                self.isolation,
                machine=probe_machine(),
                visible=find_visible(cache=self.cache),
                control_fds=control_fds,
                binds=binds,
                same_name=(self._simulators,),
                runtime=Path(self._runtime.name),
            )

        self._zygote_parent = ZygoteParent(make_launch)

    @property
    def _simulators(self) -> Path:
        return self.cache / "simulators"

    def _forge(self, kind: Kind, fds: list[int]) -> compiling.Launch:
        return compiling.build_command(
            self.isolation,
            machine=probe_machine(),
            cache=self._simulators,
            fds=fds,
            runtime=Path(self._runtime.name),
            sees=self._seen_by(kind),
            address_space_bytes=ADDRESS_SPACE_BYTES.get(kind, 1 << 30),
        )

    def _seen_by(self, kind: Kind) -> tuple[Path, ...]:
        """Name what a compiler of this kind reads besides the machine's own headers."""
        if kind in (Kind.CUDA, Kind.OPERATOR):
            return ()
        torch = torch_folder()
        if kind is Kind.CPP:
            return (torch / "include", torch / "lib")
        tools = find_visible(cache=self.cache, imports=BUILD_IMPORTS)
        # Its commands are found by what is written beside it.
        beside = torch.parent.glob("setuptools-*.dist-info")
        return (*tools.packages, *tools.site_libraries.values(), *beside)

    def _num_oom_kills(self, slot: int) -> int:
        group = self._groups.get(slot)
        return 0 if group is None else group.num_oom_kills()

    def _problem_folder(self, order: Order) -> str:
        inside = order.assignment.folder.relative_to(self.bank_root)
        return str(Path(self._running.import_root) / "bank" / inside)

    def _template(self, slot: int, bans: Bans | None) -> Zygote:
        """Return the slot's zygote with these bans; the first caller waits until it is ready."""
        key = json.dumps([slot, bans], sort_keys=True)
        group = self._groups.get(slot)
        with self._lock:
            template = self._templates.pop(key, None)
            if template is not None and not template.alive:
                template.close()
                template = None
            if template is None:
                self._thin_stems()
                template = self._running.zygotes[Role.SUBMISSION].fork_template(
                    bans, group.open_procs() if group else ()
                )
            self._templates[key] = template
        if not template.wait_ready(READY_SECONDS):
            raise ZygoteDied(template.words or "a template of the submission zygote ended")
        return template

    def _thin_stems(self) -> None:
        # Jobs of all slots may have just been given one, so the most recent are left alone.
        surplus = list(self._templates.items())[: 1 - NUM_TEMPLATES * self.capacity]
        for key, template in surplus:
            if template.is_idle:
                del self._templates[key]
                template.let_go()

    def _drop_stems(self) -> None:
        for template in self._templates.values():
            template.close()
        self._templates.clear()

    def _take_reference(self, order: Order, slot: int) -> ReferenceProcess:
        with self._lock:
            # A reference that ended while it waited, for want of memory say, is passed over.
            for dead in [reference for reference in self._references if reference.job.is_over]:
                self._references.remove(dead)
                dead.channel.close()
            for reference in self._references:
                if reference.key == order.assignment.content_hash:
                    self._references.remove(reference)
                    return reference
            zygote = self._running.zygotes[Role.REFERENCE]
        return ReferenceProcess.fork(
            zygote, order.assignment, slot=self.capacity + next(_bench_numbers) % 512
        )

    def _return_reference(self, reference: ReferenceProcess) -> None:
        if reference.is_worn:
            reference.end()
            return
        reference.rest()
        with self._lock:
            self._references.append(reference)
            surplus = (
                self._references[: -self.capacity] if len(self._references) > self.capacity else []
            )
            del self._references[: len(surplus)]
        for old in surplus:
            old.end()

    @contextlib.contextmanager
    def running(self) -> Iterator[WorkerPool]:
        """Start, and stop at the end of the block."""
        try:
            self.start()
            yield self
        finally:
            self.stop()


_bench_numbers = itertools.count()
