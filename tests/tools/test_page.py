"""The page is built on a machine without Node, by the one that PyPI carries."""

import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
# What tools/page.sh and npm call by name; neither node nor npm is among it.
TOOLS = "cat cksum dirname find mv rm sh sort xargs".split()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return what the page is built from, beside a bare environment."""
    root = tmp_path / "checkout"
    ignored = shutil.ignore_patterns("node_modules")
    shutil.copytree(ROOT / "frontend", root / "frontend", ignore=ignored)
    (root / "tools").mkdir()
    shutil.copy(ROOT / "tools/page.sh", root / "tools")
    (root / "src/torchstone/web").mkdir(parents=True)
    venv.create(root / ".venv", with_pip=True)
    return root


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """Return a PATH without Node."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in TOOLS:
        program = shutil.which(name)
        assert program is not None, name
        (folder / name).symlink_to(program)
    return folder


def build(root: Path, path: Path) -> str:
    """Run the script and give what it said."""
    done = subprocess.run(
        [root / "tools/page.sh"],
        env=os.environ | {"PATH": str(path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"PyPI or npm may be out of reach:\n{done.stdout}"
    return done.stdout


def test_without_node_the_one_from_pypi_builds_the_page(checkout: Path, bare_path: Path) -> None:
    assert "taking the one from PyPI" in build(checkout, bare_path)
    page = checkout / "src/torchstone/web/page"
    script = (page / "index.html").read_text().partition('src="/')[2].partition('"')[0]
    assert (page / script).stat().st_size > 1000
    assert os.access(checkout / ".venv/bin/node", os.X_OK)
    # The second time there is nothing to do.
    assert build(checkout, bare_path) == ""
