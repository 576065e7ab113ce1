import http.server
import io
import json
import re
import threading
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from packaging.requirements import Requirement

with warnings.catch_warnings():
    # Setuptools warns when pip is imported after it, as it is where torch's tests came first.
    warnings.simplefilter("ignore", UserWarning)
    from tools import lock, lock_check
    from tools.pending import read_lock
    from tools.targets import TARGETS, Releases, Target
    from tools.wheel_index import Index, IndexUnreachableError

# pip 23, as Debian 12 has it, imports its own copy of pkg_resources.
pytestmark = [
    pytest.mark.filterwarnings("ignore:pkg_resources is deprecated:DeprecationWarning"),
    pytest.mark.full,
]

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("cp311", "cp312", "cp313", "cp314")
LINUX = "manylinux_2_27_x86_64.manylinux_2_28_x86_64"
OFFLINE = "--no-index --find-links "

# What the wheels of torch 2.13.0 require, without the packages that both builds share.
CUDA_TORCH = (
    'cuda-toolkit[cublas]==13.0.3; platform_system == "Linux"',
    'triton==3.7.1; platform_system == "Linux" and python_version < "3.15"',
    'optree>=0.13.0; extra == "optree"',
)
LOCK = """\
torch==2.13.0
triton==3.7.1
cuda-toolkit==13.0.3.0
nvidia-cublas==13.1.1.3
backport==1.0
"""
WANTED = (
    Requirement("torch==2.13.0"),
    Requirement("triton>=3.4; sys_platform == 'linux'"),
    Requirement("backport; python_version < '3.12'"),
)


def wheel(name: str, requires: Sequence[str] = (), *, requires_python: str = "") -> bytes:
    """Return a wheel with nothing in it but its metadata, its largest member first."""
    project, version = name.split("-")[:2]
    lines = ["Metadata-Version: 2.1", f"Name: {project}", f"Version: {version}"]
    lines += [f"Requires-Dist: {line}" for line in requires]
    lines += [f"Requires-Python: {requires_python}"] if requires_python else []
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(f"{project}/library.so", bytes(3 << 20))
        archive.writestr(f"{project}-{version}.dist-info/METADATA", "\n".join(lines) + "\n\n")
    return content.getvalue()


def release(folder: Path, name: str, requires: Sequence[str] = (), *, tags: Sequence[str]) -> None:
    for tag in tags:
        (folder / f"{name}-{tag}.whl").write_bytes(wheel(name, requires))


@pytest.fixture
def bare_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave pip without the configuration of this machine."""
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")


@pytest.fixture
def wheels(tmp_path: Path, bare_pip: None) -> Path:
    """Have both builds of torch, and what they require, as an index has them."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    compiled = [f"{python}-{python}-{LINUX}" for python in PYTHONS]
    release(folder, "torch-2.13.0", CUDA_TORCH, tags=compiled)
    release(folder, "torch-2.13.0+cpu", tags=compiled[:1])
    release(folder, "triton-3.7.1", tags=compiled)
    release(folder, "triton-3.9.0", tags=compiled)
    release(
        folder,
        "cuda_toolkit-13.0.3.0",
        ['nvidia-cublas==13.1.1.*; extra == "cublas"', 'absent; extra == "cudart"'],
        tags=["py3-none-any"],
    )
    release(folder, "nvidia_cublas-13.1.1.3", tags=["py3-none-manylinux_2_27_x86_64"])
    release(folder, "backport-1.0", tags=["py3-none-any"])
    return folder


def check(folder: Path, text: str) -> list[str]:
    index = Index(f"{OFFLINE}{folder}", cache=folder.parent / "cache")
    return lock_check.check_lock(read_lock(text), WANTED, Releases(index))


@pytest.mark.pure
def test_a_lock_that_holds_for_both_builds_has_no_fault(wheels: Path) -> None:
    assert check(wheels, LOCK) == []


@pytest.mark.pure
@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("triton==3.7.1", "triton==3.9.0", "triton 3.9.0 is locked; torch 2.13.0 requires triton"),
        ("triton==3.7.1\n", "", "triton is not locked; torch 2.13.0 requires triton==3.7.1"),
        ("triton==3.7.1", "triton==3.8.0", "triton 3.8.0: the index has no wheel that fits"),
        ("cublas==13.1.1.3", "cublas==13.2", "cuda-toolkit 13.0.3.0 requires nvidia-cublas==13.1"),
        ("backport==1.0\n", "", "backport is not locked; pyproject.toml requires backport"),
        (
            "backport==1.0",
            'backport==1.0; python_version > "3.11"',
            "backport is not locked; pyproject.toml requires backport",
        ),
    ],
)
def test_a_wrong_pin_is_a_fault(wheels: Path, old: str, new: str, fault: str) -> None:
    faults = check(wheels, LOCK.replace(old, new))
    assert any(fault in line for line in faults), faults


@pytest.mark.pure
def test_a_package_without_a_wheel_for_one_python_is_a_fault(wheels: Path) -> None:
    (wheels / f"triton-3.7.1-cp314-cp314-{LINUX}.whl").unlink()
    no_wheel = ["triton 3.7.1: the index has no wheel that fits, and no sources (Python 3.14)"]
    assert check(wheels, LOCK) == no_wheel
    # Sources do not stand in for a wheel that other Pythons have.
    (wheels / "triton-3.7.1.tar.gz").write_bytes(b"")
    assert check(wheels, LOCK) == no_wheel


@pytest.mark.pure
def test_sources_do_where_a_version_has_no_wheels(wheels: Path) -> None:
    (wheels / "backport-1.0-py3-none-any.whl").unlink()
    (wheels / "backport-1.0.tar.gz").write_bytes(b"")
    assert check(wheels, LOCK) == []


@pytest.mark.pure
def test_a_wheel_for_a_newer_glibc_or_another_machine_does_not_fit(wheels: Path) -> None:
    found = wheels / "nvidia_cublas-13.1.1.3-py3-none-manylinux_2_27_x86_64.whl"
    for platform in ("manylinux_2_39_x86_64", "manylinux_2_27_aarch64", "win_amd64"):
        found = found.rename(wheels / f"nvidia_cublas-13.1.1.3-py3-none-{platform}.whl")
        assert "nvidia-cublas 13.1.1.3: the index has no wheel" in "".join(check(wheels, LOCK))


@pytest.mark.pure
def test_a_pin_that_nothing_requires_is_a_fault(wheels: Path) -> None:
    release(wheels, "stale-1.0", tags=["py3-none-any"])
    assert check(wheels, LOCK + "stale==1.0\n") == ["stale 1.0 is locked and nothing requires it"]


@pytest.mark.pure
def test_a_marker_that_leaves_a_pin_to_one_python_is_followed(wheels: Path) -> None:
    assert check(wheels, LOCK.replace("port==1.0", 'port==1.0; python_version == "3.11"')) == []


@pytest.mark.pure
def test_the_resolver_finds_one_version_that_holds_everywhere(wheels: Path) -> None:
    index = Index(f"{OFFLINE}{wheels}", cache=wheels.parent / "cache")
    text = lock.write_lock(WANTED, Releases(index), {})
    assert [f"{pin.name}=={pin.version}" for pin in read_lock(text)] == sorted(LOCK.split())
    (torch,) = [pin for pin in read_lock(text) if pin.name == "torch"]
    # The newest triton is refused, because one of the two builds of torch requires another one.
    assert "triton==3.7.1" in text
    assert (torch.size.disk_mib, torch.cpu_size and torch.cpu_size.disk_mib) == (3, 3)
    assert check(wheels, text) == []


@pytest.mark.pure
def test_each_python_gets_its_own_pin_where_none_holds_for_all(wheels: Path) -> None:
    (wheels / f"triton-3.9.0-cp311-cp311-{LINUX}.whl").unlink()
    for python in PYTHONS[1:]:
        (wheels / f"triton-3.7.1-{python}-{python}-{LINUX}.whl").unlink()
    for name in wheels.glob("torch-2.13.0-*"):
        name.write_bytes(wheel("torch-2.13.0"))
    wanted = (Requirement("torch"), Requirement("triton"))
    releases = Releases(Index(f"{OFFLINE}{wheels}", cache=wheels.parent / "cache"))
    text = lock.write_lock(wanted, releases, {})
    assert 'triton==3.7.1; python_version == "3.11"' in text
    assert (
        'triton==3.9.0; python_version == "3.12" or python_version == "3.13"'
        ' or python_version == "3.14"' in text
    )
    assert lock_check.check_lock(read_lock(text), wanted, releases) == []


@pytest.mark.pure
def test_pins_that_hold_are_kept_and_others_are_not(wheels: Path) -> None:
    release(wheels, "backport-2.0", tags=["py3-none-any"])
    keep = {pin.name: lock.Version(pin.version) for pin in read_lock(LOCK)}
    keep["triton"] = lock.Version("3.9.0")
    releases = Releases(Index(f"{OFFLINE}{wheels}", cache=wheels.parent / "cache"))
    assert "backport==2.0" in lock.write_lock(WANTED, releases, {})
    kept = lock.write_lock(WANTED, releases, keep)
    assert "backport==1.0" in kept
    assert "triton==3.7.1" in kept


class IndexServer(http.server.BaseHTTPRequestHandler):
    """An index over HTTP: pages in JSON or HTML, metadata beside the wheel or within it."""

    folder: Path
    as_json, has_metadata, has_ranges = True, False, True
    requests: Sequence[tuple[str, str | None]] = ()

    def log_message(self, format: str, *args: object) -> None: ...

    def do_GET(self) -> None:
        type(self).requests = [*self.requests, (self.path, self.headers["Range"])]
        if self.path.startswith("/simple/"):
            self.answer_page(self.path.split("/")[2])
            return
        name = self.path.rpartition("/")[2]
        content = (self.folder / name.removesuffix(".metadata")).read_bytes()
        if name.endswith(".metadata"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                content = archive.read(next(n for n in archive.namelist() if "METADATA" in n))
        self.answer(content)

    do_HEAD = do_GET

    def answer_page(self, project: str) -> None:
        names = [path.name for path in sorted(self.folder.iterdir())]
        names = [name for name in names if name.startswith(project.replace("-", "_") + "-")]
        if self.as_json:
            files = [
                {"filename": name, "url": f"/files/{name}", "core-metadata": self.has_metadata}
                for name in names
            ]
            page, kind = json.dumps({"files": files}), "application/vnd.pypi.simple.v1+json"
        else:
            mark = ' data-core-metadata="true"' if self.has_metadata else ""
            page = "".join(f'<a href="/files/{name}"{mark}>{name}</a>' for name in names)
            kind = "text/html"
        self.answer(page.encode(), kind)

    def answer(self, content: bytes, kind: str = "application/octet-stream") -> None:
        start, end, status = 0, len(content), 200
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers["Range"] or "")
        if found and self.has_ranges and kind == "application/octet-stream":
            status = 206
            start = int(found[1]) if found[1] else max(0, end - int(found[2]))
            end = min(end, int(found[2]) + 1) if found[1] else end
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(end - start))
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(content)}")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content[start:end])


@pytest.fixture
def server(wheels: Path) -> Iterator[tuple[type[IndexServer], str]]:
    handler = type("Handler", (IndexServer,), {"folder": wheels})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield handler, f"--index-url http://127.0.0.1:{found.server_port}/simple"
        found.shutdown()


@pytest.mark.parametrize("has_metadata", [False, True])
@pytest.mark.parametrize("as_json", [False, True])
def test_every_kind_of_index_is_read_without_a_wheel_being_downloaded(
    server: tuple[type[IndexServer], str], tmp_path: Path, *, as_json: bool, has_metadata: bool
) -> None:
    handler, args = server
    handler.as_json, handler.has_metadata = as_json, has_metadata
    releases = Releases(Index(args, cache=tmp_path / "cache"))
    assert lock_check.check_lock(read_lock(LOCK), WANTED, releases) == []
    wrong = read_lock(LOCK.replace("3.7.1", "3.9.0"))
    (fault,) = lock_check.check_lock(wrong, WANTED, releases)
    assert "torch 2.13.0 requires triton==3.7.1" in fault
    asked = [request for request in handler.requests if request[0].endswith(".whl")]
    assert all(wanted is not None or has_metadata for _, wanted in asked)


def test_an_index_that_sends_only_whole_wheels_is_refused(
    server: tuple[type[IndexServer], str], tmp_path: Path
) -> None:
    handler, args = server
    handler.has_ranges = False
    with pytest.raises(IndexUnreachableError, match="no metadata and no range requests"):
        lock_check.check_lock(
            read_lock(LOCK), WANTED, Releases(Index(args, cache=tmp_path / "cache"))
        )


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
def test_without_an_index_one_line_says_so_and_ci_fails(
    ci: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("TORCHSTONE_PIP_ARGS", "--index-url http://127.0.0.1:9/simple --retries 0")
    assert lock_check.main([]) == status
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("requirements.lock is not checked: 127.0.0.1:9 does not answer")


def test_the_index_is_the_one_that_pip_is_configured_with(
    server: tuple[type[IndexServer], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, args = server
    monkeypatch.setenv("PIP_INDEX_URL", args.split()[1])
    assert Index("").files("backport")
    assert not Index("--no-index").files("backport")


@pytest.fixture(scope="module")
def releases() -> Releases:
    """Have what the index of this machine has of every locked package."""
    found = Releases(Index.configured())
    try:
        found.fetch(pin.name for pin in read_lock((ROOT / "requirements.lock").read_text()))
    except IndexUnreachableError as error:
        pytest.skip(f"the lock is not checked: {error}")
    return found


def faults_of(releases: Releases, text: str, targets: Sequence[Target] = TARGETS) -> list[str]:
    wanted = lock.roots(ROOT / "pyproject.toml")
    return lock_check.check_lock(read_lock(text), wanted, releases, targets)


def test_the_lock_holds_for_every_python(releases: Releases) -> None:
    assert faults_of(releases, (ROOT / "requirements.lock").read_text()) == []


def test_a_wrong_pin_of_triton_in_the_lock_is_seen(releases: Releases) -> None:
    text = (ROOT / "requirements.lock").read_text()
    wrong = re.sub(r"^triton==\S+", "triton==3.9.0", text, flags=re.M)
    (fault,) = faults_of(releases, wrong)
    assert "triton 3.9.0 is locked; torch 2.13.0 requires triton==3.7.1" in fault
    assert "Python 3.11, Python 3.12, Python 3.13, Python 3.14" in fault
