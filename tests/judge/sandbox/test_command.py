import dataclasses
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.judge.sandbox.single import zygote_command
from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.sandbox import command
from torchstone.judge.sandbox.command import Launch, Role
from torchstone.judge.sandbox.levels import Machine
from torchstone.judge.sandbox.visible import Visible

pytestmark = pytest.mark.pure

USER = Machine(
    is_root=False,
    bwrap=Path("/usr/bin/bwrap"),
    bwrap_version="0.8.0",
    namespaces=True,
    user_namespace=True,
    landlock_abi=7,
    seccomp=True,
    libseccomp=True,
    cgroup=None,
)
ROOT = dataclasses.replace(USER, is_root=True, user_namespace=False)


@pytest.fixture
def visible(tmp_path: Path) -> Visible:
    site = tmp_path / "venv/site-packages"
    stdlib = tmp_path / "base/lib/python3.11"
    libraries = tmp_path / "lib"
    vendor = site / "nvidia/cu13/lib"
    for folder in (site / "torch/_refs", site / "numpy", stdlib / "site-packages", libraries):
        folder.mkdir(parents=True)
    vendor.mkdir(parents=True)
    (vendor / "libcudart.so.13").symlink_to(libraries / "libcudart.so.13.0.96")
    for file in (
        libraries / "libc.so.6",
        libraries / "ld-linux.so.2",
        libraries / "libcudart.so.13.0.96",
        tmp_path / "base/python3.11",
    ):
        file.touch()
    return Visible(
        python=tmp_path / "base/python3.11",
        stdlib=stdlib,
        packages=(site / "torch", site / "numpy"),
        libraries=(libraries / "libc.so.6", libraries / "ld-linux.so.2"),
        site_libraries={"nvidia/cu13/lib/libcudart.so.13": vendor / "libcudart.so.13"},
        private=(),
    )


@pytest.fixture
def child(tmp_path: Path) -> Path:
    folder = tmp_path / "child"
    folder.mkdir()
    (folder / "zygote.py").touch()
    return folder


@contextmanager
def launched(level: Isolation, role: Role = Role.SUBMISSION, **parts: Any) -> Iterator[Launch]:
    launch = zygote_command(level, role, control_fd=0, **parts)
    try:
        yield launch
    finally:
        launch.close()


def pairs_after(argv: tuple[str, ...], option: str) -> dict[str, str]:
    """Map destination to source for every use of a two-valued option."""
    places = [index for index, word in enumerate(argv) if word == option]
    return {argv[index + 2]: argv[index + 1] for index in places}


@pytest.fixture
def parts(visible: Visible, child: Path, tmp_path: Path) -> dict[str, Any]:
    return {
        "machine": USER,
        "visible": visible,
        "module": "child.zygote.zygote",
        "read_only_binds": {"child": child},
        "runtime": tmp_path,
    }


def test_only_what_is_listed_is_bound(parts: dict[str, Any], visible: Visible, child: Path) -> None:
    with launched(Isolation.NAMESPACES, **parts) as launch:
        assert pairs_after(launch.argv, "--ro-bind") == {
            "/judge/python/bin/python3.11": str(visible.python),
            "/judge/python/lib/python3.11": str(visible.stdlib),
            str(visible.loader): str(visible.loader),
            "/judge/lib/libc.so.6": str(visible.libraries[0]),
            "/judge/lib/ld-linux.so.2": str(visible.libraries[1]),
            "/judge/site/torch": str(visible.packages[0]),
            "/judge/site/numpy": str(visible.packages[1]),
            "/judge/site/nvidia/cu13/lib/libcudart.so.13": str(
                visible.libraries[0].with_name("libcudart.so.13.0.96")
            ),
            "/judge/child": str(child),
            **{
                f"/etc/{name}": str(Path(command.__file__).parent / "names" / name)
                for name in ("hosts", "nsswitch.conf")
            },
        }
        assert "--bind" not in launch.argv
        assert set(pairs_after(launch.argv, "--dev-bind")) == {
            "/dev/null",
            "/dev/urandom",
        }


def test_what_hides_among_the_standard_library_is_covered(parts: dict[str, Any]) -> None:
    with launched(Isolation.NAMESPACES, **parts) as launch:
        cover = launch.argv[launch.argv.index("--tmpfs") + 1]
        assert cover == "/judge/python/lib/python3.11/site-packages"


def test_every_folder_is_made_before_what_lies_in_it(parts: dict[str, Any]) -> None:
    with launched(Isolation.NAMESPACES, **parts) as launch:
        argv = launch.argv
    made = [argv[index + 1] for index, word in enumerate(argv) if word == "--dir"]
    for place in pairs_after(argv, "--ro-bind"):
        assert str(Path(place).parent) in made
    assert made.index("/judge") < made.index("/judge/site")


@pytest.mark.parametrize(
    ("inside", "links"), [("/judge/child", {"/tmp": "/dev/shm"}), ("/tmp/cache/simulators", {})]
)
def test_the_usual_folder_of_temporary_files_is_the_shared_memory(
    visible: Visible, child: Path, inside: str, links: dict[str, str]
) -> None:
    """Unless a folder that is shown lies there."""
    argv = command._bubblewrap(USER, {Path(inside): child}, visible)
    assert pairs_after(tuple(argv), "--symlink") == links


@pytest.mark.parametrize("option", ["--die-with-parent", "--new-session", "--clearenv"])
@pytest.mark.parametrize("machine", [USER, ROOT])
def test_the_zygote_is_cut_off(parts: dict[str, Any], option: str, machine: Machine) -> None:
    with launched(Isolation.FULL, **parts | {"machine": machine}) as launch:
        assert option in launch.argv
        assert {"--unshare-net", "--unshare-pid", "--unshare-ipc"} <= set(launch.argv)
        assert dict(launch.env) == {}


def test_four_capabilities_are_kept_and_no_more(parts: dict[str, Any]) -> None:
    with launched(Isolation.NAMESPACES, **parts) as launch:
        argv = launch.argv
    kept = {argv[index + 1] for index, word in enumerate(argv) if word == "--cap-add"}
    assert kept == {"CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID", "CAP_KILL", "CAP_NET_ADMIN"}
    assert argv[argv.index("--cap-drop") + 1] == "ALL"


def test_judges_of_one_machine_have_uids_of_their_own() -> None:
    everything = "         0          0 4294967295\n"
    taken = [
        range(base, base + length)
        for pid in range(1_000, 1_400)
        for role, length in ((Role.SUBMISSION, 256), (Role.REFERENCE, 768))
        for base in [command.uid_base(role, everything, pid)]
    ]
    numbers = [number for block in taken for number in block]
    assert len(numbers) == len({*numbers})
    assert min(numbers) >= 65_536
    assert max(numbers) < 524_288


def test_where_few_uids_are_mapped_the_low_ones_are_taken() -> None:
    few = "0 100000 65536\n"
    assert command.uid_base(Role.SUBMISSION, few, 7) == command.UID_BASES[Role.SUBMISSION]


def test_root_gives_each_job_a_uid_and_a_user_takes_a_namespace(parts: dict[str, Any]) -> None:
    with launched(Isolation.NAMESPACES, **parts | {"machine": ROOT}) as launch:
        uid_map = Path("/proc/self/uid_map").read_text()
        base = command.uid_base(Role.SUBMISSION, uid_map, os.getpid())
        assert launch.settings["uid_base"] == base
        assert "--unshare-user" not in launch.argv
    with launched(Isolation.NAMESPACES, **parts) as launch:
        assert launch.settings["uid_base"] is None
        assert "--unshare-user" in launch.argv


def test_the_settings_reach_the_zygote_as_its_argument(parts: dict[str, Any]) -> None:
    with launched(Isolation.NAMESPACES, **parts) as launch:
        assert json.loads(launch.argv[-1]) == json.loads(json.dumps(launch.settings))
        assert launch.settings["import_path"] == ["/judge", "/judge/site"]
        assert launch.settings["box"] == "/box/job"


def test_confined_links_to_the_same_tree(
    parts: dict[str, Any], visible: Visible, child: Path
) -> None:
    with launched(Isolation.CONFINED, **parts) as launch:
        root, site = map(Path, launch.settings["import_path"])  # type: ignore[call-overload]
        assert launch.argv[0] == str(visible.python)
        assert (root / "child").resolve() == child
        assert (site / "torch").resolve() == visible.packages[0]
        assert Path(str(launch.settings["box"])).is_dir()
        hidden = launch.settings["hide"]
        assert str(visible.stdlib / "site-packages") in hidden  # type: ignore[operator]
        assert str(site / "torch/_refs") in hidden  # type: ignore[operator]
    assert not root.exists()


def test_only_a_submission_has_sources_hidden(parts: dict[str, Any]) -> None:
    with launched(Isolation.NAMESPACES, **parts) as launch:
        assert launch.settings["hide"] == ["/judge/site/torch/_refs"]
        kinds = {
            "python",
            "script",
            "native",
            "distributed",
            "rank",
            "series",
            "loader",
            "worker",
        } | {
            "launcher",
            "launched",
        }
        assert set(launch.settings["filter_fds"]) == kinds  # type: ignore[call-overload]
    with launched(Isolation.NAMESPACES, Role.REFERENCE, **parts) as launch:
        assert launch.settings["hide"] == []
        assert set(launch.settings["filter_fds"]) == {"reference"}  # type: ignore[call-overload]


def test_without_a_sandbox_there_is_no_filter(parts: dict[str, Any]) -> None:
    with launched(Isolation.NONE, **parts) as launch:
        assert launch.settings["filter_fds"] == {}
        assert launch.pass_fds == (0,)


def test_closing_frees_the_filters(parts: dict[str, Any]) -> None:
    with launched(Isolation.NAMESPACES, **parts) as launch:
        fds = launch.pass_fds[1:]
        assert all(os.fstat(fd).st_size > 0 for fd in fds)
    for fd in fds:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(fd)


def test_a_missing_file_is_named(parts: dict[str, Any], tmp_path: Path) -> None:
    binds = {"child": tmp_path / "absent"}
    with pytest.raises(JudgeUnavailable, match="absent"):
        zygote_command(
            Isolation.CONFINED, Role.SUBMISSION, control_fd=0, **parts | {"read_only_binds": binds}
        )


@pytest.mark.parametrize(("path", "mode"), [("", 0o700), ("zygote.py", 0o600)])
def test_a_checkout_that_only_its_owner_can_read_is_refused_to_root(
    parts: dict[str, Any], child: Path, path: str, mode: int
) -> None:
    (child / path).chmod(mode)
    with pytest.raises(JudgeUnavailable, match=str(child)) as refused:
        zygote_command(
            Isolation.NAMESPACES, Role.SUBMISSION, control_fd=0, **parts | {"machine": ROOT}
        )
    assert "chmod -R go+rX" in refused.value.hint("en")
    with launched(Isolation.NAMESPACES, **parts):
        pass


def test_an_interpreter_that_only_its_owner_can_read_is_refused_to_root(
    parts: dict[str, Any], visible: Visible
) -> None:
    private = dataclasses.replace(visible, private=(visible.stdlib / "os.py",))
    with pytest.raises(JudgeUnavailable, match=r"os\.py"):
        zygote_command(
            Isolation.FULL,
            Role.SUBMISSION,
            control_fd=0,
            **parts | {"machine": ROOT, "visible": private},
        )


def test_an_interpreter_without_a_loader_is_refused(visible: Visible) -> None:
    static = dataclasses.replace(visible, libraries=())
    with pytest.raises(JudgeUnavailable, match="not dynamically linked"):
        _ = static.loader
