"""Pool of zygotes and idle reference processes, which supply the processes of jobs."""

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
from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.build import compiler_sandbox
from torchstone.judge.build.build_service import BuildService
from torchstone.judge.child.protocol.zygote_messages import Bans
from torchstone.judge.events import Emit
from torchstone.judge.kinds import KINDS, Needs
from torchstone.judge.messages import Report
from torchstone.judge.native.build import library, torch_folder
from torchstone.judge.order import Order
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.submission_supervisor import JobWorkers, Supervisor
from torchstone.judge.pool.zygotes import READY_SECONDS, Zygote, ZygoteDied, ZygoteParent
from torchstone.judge.sandbox.cgroups import Cgroup
from torchstone.judge.sandbox.command import Launch, Role, zygote_parent_command
from torchstone.judge.sandbox.levels import achieved, probe_machine
from torchstone.judge.sandbox.slot_group import SlotGroup, sweep_groups
from torchstone.judge.sandbox.visible import find_visible

PACKAGE = Path(__file__).resolve().parents[2]
# Memory limit in bytes of a slot's cgroup. It exceeds the limit of a job, because the kernel also
# counts the zygote's pages that the job copies, its stacks and its tmpfs.
CGROUP_BYTES = 3 << 30
CGROUP_TASKS = 128
# Modules that build a package; the sandbox shows them and their imports.
BUILD_IMPORTS = ("setuptools.build_meta", "torch.utils.cpp_extension")
# Maximum number of templates of a slot, for the problems in use. Each takes a few MiB.
NUM_TEMPLATES = 6


@dataclass(slots=True)
class WorkerPool:
    """Zygote parent with its two zygotes, and idle reference processes.

    Attributes:
        bank_root: The folder that contains ``problems/``.
        cache: The folder of compiled and measured results, which later runs reuse.
        capacity: The number of jobs that run at once.
        at_most: The strongest isolation level to use (for tests).
        num_kept_builds: The number of builds kept after their job, for jobs with the same text.
    """

    bank_root: Path
    cache: Path
    capacity: int = 1
    at_most: Isolation = Isolation.FULL
    num_kept_builds: int = 0
    isolation: Isolation = field(init=False, default=Isolation.NONE)
    _zygote_parent: ZygoteParent | None = field(init=False, default=None)
    _is_abandoned: bool = field(init=False, default=False)
    _references: list[ReferenceProcess] = field(init=False, default_factory=list)
    # In the order of use, the most recent last.
    _templates: dict[str, Zygote] = field(init=False, default_factory=dict)
    _groups: dict[int, SlotGroup] = field(init=False, default_factory=dict)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    _build_service: BuildService = field(init=False)
    # The kernel ends a sandbox together with the thread that started it, so one thread starts all
    # sandboxes and lives as long as the pool.
    _starter: ThreadPoolExecutor = field(
        init=False, default_factory=lambda: ThreadPoolExecutor(1, "zygote-starter")
    )
    _runtime: tempfile.TemporaryDirectory[str] = field(init=False)

    def __post_init__(self) -> None:
        self._runtime = tempfile.TemporaryDirectory(prefix=f"torchstone-judge-{os.getpid()}-")
        self._build_service = BuildService(
            self._simulators, self._compiler_launch, self.num_kept_builds
        )

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
                self._groups[slot] = SlotGroup(
                    machine.cgroup, memory_bytes=CGROUP_BYTES, num_tasks=CGROUP_TASKS
                )
        self._starter.submit(self._start).result()
        if self._is_abandoned:
            self._running.kill()
        self._running.wait_ready()

    def abandon(self) -> None:
        """Abort a start that is running in another thread, where it raises; then call `stop`."""
        self._is_abandoned = True
        if self._zygote_parent is not None:
            self._zygote_parent.kill()

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
            order: The order to judge.
            emit: Called with each event.
            slot: The number of the slot.
            then: Called with the reference process at the end of the job.

        Raises:
            ZygoteDied: A zygote ended during the job; call ``revive`` and judge again.
        """
        return self.supervisor(order, emit, slot=slot).run(then)

    def supervisor(self, order: Order, emit: Emit, *, slot: int = 0) -> Supervisor:
        """Return a supervisor that has not started; the caller can run it and cancel it."""
        self.require_level(order)
        return Supervisor(order, self.workers(slot), emit)

    def require_level(self, order: Order) -> None:
        """Check that a problem with several processes gets namespaces of its own on this machine.

        Raises:
            JudgeUnavailable: The isolation level is below ``namespaces``.
        """
        problem = order.assignment
        row = problem.row
        if not row.is_led:
            return
        # An order may arrive before the pool has started and has set its level.
        level = achieved(probe_machine(), at_most=self.at_most)
        if not level.is_at_least(Isolation.NAMESPACES):
            raise JudgeUnavailable(row.lacks, problem=problem.problem_id, level=level)

    def workers(self, slot: int) -> JobWorkers:
        """Return the services for the jobs of a slot."""
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
        """Yield a reference process that has loaded the order's problem and made no case."""
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
        """Start both zygotes again if one of them has ended."""
        with self._lock:
            if self._running.alive:
                return
            self._running.stop()
            self._close_templates()
            for reference in self._references:
                reference.channel.close()
            self._references.clear()
            self._starter.submit(self._start).result()
            self._running.wait_ready()

    def stop(self) -> None:
        """End every process, and remove the folders and cgroups."""
        for reference in self._references:
            reference.channel.close()
        self._build_service.close()
        if self._zygote_parent is not None:
            self._zygote_parent.stop()
        self._close_templates()
        for group in self._groups.values():
            # The next host removes a cgroup that cannot be removed now.
            with contextlib.suppress(OSError):
                group.remove(patience_s=5.0)
        self._starter.shutdown()
        self._runtime.cleanup()

    @property
    def pids(self) -> list[int]:
        """Return the PIDs of the sandboxes' outermost processes."""
        return [] if self._zygote_parent is None else [self._zygote_parent.pid]

    @property
    def _running(self) -> ZygoteParent:
        assert self._zygote_parent is not None, "`start` is called first"
        return self._zygote_parent

    def _start(self) -> None:
        common = {"child": PACKAGE / "judge" / "child"}
        binds = {
            Role.SUBMISSION: common | {"native.so": library()},
            Role.REFERENCE: common | {"torchstone": PACKAGE, "bank": self.bank_root},
        }
        # The sandboxes mount this folder under its own path, which binaries linked with the
        # simulator contain. The first native job fills it.
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

    def _compiler_launch(self, kind: Kind, fds: list[int]) -> compiler_sandbox.Launch:
        row = KINDS[kind]
        return compiler_sandbox.build_command(
            self.isolation,
            machine=probe_machine(),
            cache=self._simulators,
            fds=fds,
            runtime=Path(self._runtime.name),
            sees=self._seen_by(kind),
            packages=torch_folder().parent if row.build_reads is Needs.SETUPTOOLS else None,
            address_space_bytes=row.build_bytes,
        )

    def _seen_by(self, kind: Kind) -> tuple[Path, ...]:
        """Return the folders that a build of this kind reads, besides the system headers."""
        reads = KINDS[kind].build_reads
        if reads is Needs.NOTHING:
            return ()
        torch = torch_folder()
        if reads is Needs.TORCH:
            return (torch / "include", torch / "lib")
        tools = find_visible(cache=self.cache, imports=BUILD_IMPORTS)
        # setuptools finds its commands through the entry points in its metadata.
        metadata = torch.parent.glob("setuptools-*.dist-info")
        return (*tools.packages, *tools.site_libraries.values(), *metadata)

    def _num_oom_kills(self, slot: int) -> int:
        group = self._groups.get(slot)
        return 0 if group is None else group.num_oom_kills()

    def _problem_folder(self, order: Order) -> str:
        inside = order.assignment.folder.relative_to(self.bank_root)
        return str(Path(self._running.import_root) / "bank" / inside)

    def _template(self, slot: int, bans: Bans | None) -> Zygote:
        """Return the slot's zygote with these bans; create it if necessary, and wait for it."""
        key = json.dumps([slot, bans], sort_keys=True)
        with self._lock:
            group = self._group(slot)
            template = self._templates.pop(key, None)
            if template is not None and not template.alive:
                template.close()
                template = None
            if template is None:
                self._drop_old_templates()
                template = self._running.zygotes[Role.SUBMISSION].fork_template(
                    bans, group.open_procs() if group else ()
                )
            self._templates[key] = template
        if not template.wait_ready(READY_SECONDS):
            raise ZygoteDied(template.failure or "a template of the submission zygote ended")
        return template

    def _group(self, slot: int) -> Cgroup | None:
        """Return the cgroup of a slot; create it again if another process removed it."""
        held = self._groups.get(slot)
        if held is None:
            return None
        if held.ensure():
            # Processes of the old cgroup are now in no cgroup with a limit.
            for key in [key for key in self._templates if json.loads(key)[0] == slot]:
                template = self._templates.pop(key)
                if template.alive:
                    template.end()
                else:
                    template.close()
        return held.group

    def _drop_old_templates(self) -> None:
        # A job of any slot may just have received a template, so the most recent ones are kept.
        surplus = list(self._templates.items())[: 1 - NUM_TEMPLATES * self.capacity]
        for key, template in surplus:
            if template.is_idle:
                del self._templates[key]
                template.end()

    def _close_templates(self) -> None:
        for template in self._templates.values():
            template.close()
        self._templates.clear()

    def _take_reference(self, order: Order, slot: int) -> ReferenceProcess:
        with self._lock:
            # Drop a reference process that has ended while idle, for example out of memory.
            for dead in [reference for reference in self._references if reference.job.is_over]:
                self._references.remove(dead)
                dead.channel.close()
            for reference in self._references:
                if reference.key == order.assignment.content_hash:
                    self._references.remove(reference)
                    return reference
            zygote = self._running.zygotes[Role.REFERENCE]
        return ReferenceProcess.fork(
            zygote, order.assignment, slot=self.capacity + next(_reference_numbers) % 512
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
        """Start the pool, and stop it at the end of the block."""
        try:
            self.start()
            yield self
        finally:
            self.stop()


_reference_numbers = itertools.count()
