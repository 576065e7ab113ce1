"""A library that a package loads from another package's folder is visible, and nothing beside it.

torch's CUDA builds load the libraries of the `nvidia` packages when they are imported.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judge.sandbox import vendored
from tests.judge.sandbox.demo_host import DemoHost, Setting, demo_host, settings_of_tests
from torchstone.judge.sandbox import imports_probe, visible
from torchstone.judge.sandbox.visible import find_visible

pytestmark = pytest.mark.sandbox

MODULES = ("front", "preload")
LOADED = {vendored.USED, vendored.PRELOADED}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vendored")
    for path in (folder, *folder.parents[:2]):
        path.chmod(0o755)
    return vendored.install(folder / "environment")


def site_of(python: Path) -> Path:
    (site,) = python.parents[1].glob("lib/python*/site-packages")
    return site


def test_the_libraries_are_found_under_their_names_in_site_packages(python: Path) -> None:
    found = find_visible(python, imports=MODULES)
    assert {package.name for package in found.packages} == {"front", "preload"}
    assert found.site_libraries == {name: site_of(python) / name for name in LOADED}
    assert not any("vendor" in str(path) for path in found.libraries)


def test_every_file_of_code_that_is_mapped_is_visible(python: Path) -> None:
    code = "import front, preload; print(open('/proc/self/maps').read())"
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True)
    lines = [line.split(maxsplit=5) for line in done.stdout.splitlines()]
    mapped = {row[5] for row in lines if len(row) == 6 and "x" in row[1] and row[5][0] == "/"}
    found = find_visible(python, imports=MODULES)
    files = {*found.libraries, *found.site_libraries.values(), found.python}
    folders = (found.stdlib, *found.packages)
    for path in map(Path, mapped):
        in_folder = any(path.is_relative_to(folder.resolve()) for folder in folders)
        assert in_folder or path in {each.resolve() for each in files}
    assert {site_of(python) / name for name in LOADED} <= set(map(Path, mapped))


@pytest.fixture(scope="module", params=settings_of_tests(), ids=str)
def host(request: pytest.FixtureRequest, python: Path, visible_cache: Path) -> Iterator[DemoHost]:
    setting: Setting = request.param
    with demo_host(setting, cache=visible_cache, modules=MODULES, python=python) as demo:
        yield demo


def test_packages_find_the_libraries_in_the_sandbox(host: DemoHost) -> None:
    code = "import front, preload\nanswer = [front.answer(), preload.answer()]"
    assert host.run(code)[0] == [vendored.ANSWER] * 2


def test_a_job_reads_what_was_loaded_and_nothing_beside_it(host: DemoHost) -> None:
    code = f"""
import front, os
site = os.path.dirname(os.path.dirname(front.__file__))
answer = {{}}
for name in {[vendored.USED, vendored.PRELOADED, vendored.UNUSED]!r}:
    try:
        open(os.path.join(site, name), "rb").close()
        answer[name] = "read"
    except OSError as error:
        answer[name] = "refused"
"""
    answer = host.run(code)[0]
    assert answer == dict.fromkeys(LOADED, "read") | {vendored.UNUSED: "refused"}


def test_site_packages_may_lie_in_the_standard_library(python: Path) -> None:
    """An interpreter that is no virtual environment has them there."""
    site = site_of(python)
    probe = (
        "import runpy, sys, sysconfig\n"
        f"sysconfig.get_paths = lambda: {{'stdlib': {str(site.parent)!r}}}\n"
        "sys.argv[1:] = ['front']\n"
        f"runpy.run_path({imports_probe.__file__!r}, run_name='__main__')\n"
    )
    asked = subprocess.run([python, "-I", "-c", probe], capture_output=True, text=True, check=True)
    assert json.loads(asked.stdout)["site_libraries"] == {vendored.USED: str(site / vendored.USED)}


@pytest.fixture
def copy(python: Path, tmp_path: Path) -> Path:
    """Have an environment of one's own, to change it."""
    shutil.copytree(python.parents[1], tmp_path / "environment", symlinks=True)
    return tmp_path / "environment/bin/python"


def test_linked_folders_are_looked_up_as_the_loader_does(copy: Path) -> None:
    """Where `front` is a link, `..` in a run path leads beside its target, out of site-packages."""
    site, elsewhere = site_of(copy), copy.parents[2] / "elsewhere"
    elsewhere.mkdir()
    for name in ("front", "vendor"):
        (site / name).rename(elsewhere / name)
    (site / "front").symlink_to(elsewhere / "front")
    found = find_visible(copy, imports=("front",))
    assert found.site_libraries == {}
    assert elsewhere / vendored.USED in found.libraries


def test_a_linked_library_is_shown_under_the_name_that_is_looked_up(copy: Path) -> None:
    library = site_of(copy) / vendored.USED
    target = library.with_name("libvendor.so.1.5")
    library.rename(target)
    library.symlink_to(target.name)
    assert find_visible(copy, imports=("front",)).site_libraries == {vendored.USED: library}


def test_a_library_that_others_cannot_read_is_private(copy: Path) -> None:
    library = site_of(copy) / vendored.USED
    library.chmod(0o700)
    assert library in find_visible(copy, imports=("front",)).private


@pytest.mark.parametrize("name", [vendored.USED, "front/lib/libfront.so"])
def test_a_replaced_library_is_asked_for_again(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    asked = []
    ask = visible._ask
    monkeypatch.setattr(visible, "_ask", lambda *args: asked.append(args) or ask(*args))
    find_visible(copy, cache=tmp_path / "cache", imports=("front",))
    find_visible(copy, cache=tmp_path / "cache", imports=("front",))
    assert len(asked) == 1
    library = site_of(copy) / name
    content = library.read_bytes()
    fresh = library.with_suffix(".new")
    fresh.write_bytes(content)
    os.utime(fresh, ns=(library.stat().st_atime_ns, library.stat().st_mtime_ns))
    fresh.replace(library)
    find_visible(copy, cache=tmp_path / "cache", imports=("front",))
    assert len(asked) == 2


def test_a_package_that_is_installed_is_asked_for_again(copy: Path, tmp_path: Path) -> None:
    find_visible(copy, cache=tmp_path / "cache", imports=("front",))
    (kept,) = (tmp_path / "cache").iterdir()
    before = kept.stat().st_mtime_ns
    (site_of(copy) / "new-1.0.dist-info").mkdir()
    find_visible(copy, cache=tmp_path / "cache", imports=("front",))
    answers = list((tmp_path / "cache").iterdir())
    assert len(answers) == 2 or kept.stat().st_mtime_ns > before
