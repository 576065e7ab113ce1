import dataclasses
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from torchstone.core.i18n import LANGS
from torchstone.core.isolation import Isolation
from torchstone.judge.sandbox import levels
from torchstone.judge.sandbox.cgroups import CgroupKind
from torchstone.judge.sandbox.levels import Machine, Obstacle, achieved, probe_machine, reasons

pytestmark = pytest.mark.pure

COMPLETE = Machine(
    is_root=False,
    bwrap=Path("/usr/bin/bwrap"),
    bwrap_version="0.11.0",
    namespaces=True,
    user_namespace=True,
    landlock_abi=7,
    seccomp=True,
    libseccomp=True,
    cgroup=CgroupKind.V2,
)


def lacking(**parts: Any) -> Machine:
    return dataclasses.replace(COMPLETE, **parts)


@pytest.mark.parametrize(
    ("machine", "level", "obstacles"),
    [
        (COMPLETE, Isolation.FULL, []),
        (lacking(cgroup=None), Isolation.NAMESPACES, [Obstacle.NO_CGROUP]),
        (lacking(landlock_abi=0), Isolation.NAMESPACES, [Obstacle.NO_LANDLOCK]),
        (lacking(bwrap=None, namespaces=False), Isolation.CONFINED, [Obstacle.NO_BWRAP]),
        (
            lacking(bwrap=None, namespaces=False, landlock_abi=0),
            Isolation.NONE,
            [Obstacle.NO_BWRAP, Obstacle.NO_LANDLOCK],
        ),
        (lacking(seccomp=False), Isolation.NONE, [Obstacle.NO_SECCOMP]),
        (lacking(libseccomp=False), Isolation.NONE, [Obstacle.NO_LIBSECCOMP]),
    ],
)
def test_a_missing_part_lowers_the_level_and_is_named(
    machine: Machine, level: Isolation, obstacles: list[Obstacle]
) -> None:
    assert achieved(machine) is level
    assert [reason.obstacle for reason in reasons(machine, "en")] == obstacles


def test_namespaces_that_are_refused_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "_why_no_namespaces", lambda: Obstacle.USERNS_APPARMOR)
    machine = lacking(namespaces=False)
    assert achieved(machine) is Isolation.CONFINED
    assert [reason.obstacle for reason in reasons(machine, "zh")] == [Obstacle.USERNS_APPARMOR]


@pytest.mark.parametrize(
    ("at_most", "level"),
    [(level, level) for level in Isolation],
)
def test_a_weaker_level_can_be_asked_for(at_most: Isolation, level: Isolation) -> None:
    assert achieved(COMPLETE, at_most=at_most) is level


def test_a_level_asked_for_is_not_invented() -> None:
    assert achieved(lacking(landlock_abi=0), at_most=Isolation.CONFINED) is Isolation.NONE
    assert achieved(lacking(cgroup=None), at_most=Isolation.FULL) is Isolation.NAMESPACES


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("obstacle", list(Obstacle))
def test_every_obstacle_is_said_in_both_languages(
    monkeypatch: pytest.MonkeyPatch, obstacle: Obstacle, lang: Any
) -> None:
    monkeypatch.setattr(levels, "_obstacles", lambda _: [obstacle])
    (reason,) = reasons(COMPLETE, lang)
    assert reason.message
    assert reason.remedy


def test_another_system_is_named_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    machine = probe_machine.__wrapped__()
    assert achieved(machine) is Isolation.NONE
    assert [reason.obstacle for reason in reasons(machine, "en")] == [Obstacle.NOT_LINUX]


@pytest.mark.parametrize(
    ("switch", "value", "obstacle"),
    [
        ("kernel/unprivileged_userns_clone", "0\n", Obstacle.USERNS_SWITCHED_OFF),
        ("kernel/apparmor_restrict_unprivileged_userns", "1\n", Obstacle.USERNS_APPARMOR),
        ("user/max_user_namespaces", "0\n", Obstacle.USERNS_NONE_LEFT),
        ("user/max_user_namespaces", "9000\n", Obstacle.NAMESPACES_REFUSED),
    ],
)
def test_the_switch_that_is_off_is_found(
    tmp_path: Path, switch: str, value: str, obstacle: Obstacle
) -> None:
    (tmp_path / switch).parent.mkdir(parents=True)
    (tmp_path / switch).write_text(value)
    assert levels._why_no_namespaces(tmp_path) is obstacle


@pytest.mark.skipif(sys.platform != "linux", reason="probes Linux")
def test_probing_answers_for_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    machine = probe_machine()
    assert machine.is_root == (os.geteuid() == 0)
    assert probe_machine() is machine
    assert machine.namespaces <= (machine.bwrap is not None)

    monkeypatch.setenv("PATH", str(tmp_path))
    bare = probe_machine.__wrapped__()
    assert bare.bwrap is None
    assert not bare.namespaces


def test_a_bubblewrap_that_fails_counts_as_none(tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    assert not levels._can_make_namespaces(broken, user_namespace=False)
    assert not levels._can_make_namespaces(tmp_path / "absent", user_namespace=True)
    assert not levels._can_make_namespaces(None, user_namespace=True)


@pytest.mark.skipif(sys.platform != "linux", reason="probes Linux")
def test_a_bubblewrap_that_cannot_be_executed_stops_no_probe(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    foreign = tmp_path / "bwrap"
    foreign.write_bytes(b"\x7fELF of another processor")
    foreign.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    machine = probe_machine.__wrapped__()
    assert (machine.bwrap, machine.bwrap_version) == (foreign, "")
    assert not machine.namespaces
