"""What a pip user gets: a wheel that serves the page without Node and without the repository."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.web.live import LiveServer

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as a release does."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.full
@pytest.mark.web
def test_the_wheel_holds_the_page_and_no_source_of_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "torchstone/web/page/index.html" in names
    assert [name for name in names if name.startswith("torchstone/web/page/assets/")]
    assert "torchstone/handbook/chapters.toml" in names
    assert "torchstone/handbook/zh/masks.md" in names
    assert not [name for name in names if "node_modules" in name or name.endswith(".svelte")]
    assert wheel.stat().st_size < 15 << 20


@pytest.mark.full
@pytest.mark.web
def test_a_clean_environment_serves_the_page_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel],
        check=True,
        capture_output=True,
    )
    # What it depends on is the locked set that is here; the package itself is the wheel's, since
    # the links of an editable installation are not read from a path that another .pth names.
    site = next((environment / "lib").glob("python*/site-packages"))
    (site / "locked.pth").write_text(sysconfig.get_path("purelib") + "\n")
    found = subprocess.run(
        [python, "-c", "import torchstone; print(torchstone.__file__)"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    ).stdout
    assert found.startswith(str(environment))
    server = LiveServer(folder=tmp_path, python=str(python)).start()
    try:
        server.enter()
        page = server.ask("GET", "/zh/problems/01")
        assert page.status == 200
        script = page.body.decode().partition('src="')[2].partition('"')[0]
        assert server.ask("GET", script).headers["Content-Type"].startswith("text/javascript")
        assert server.ask("GET", "/api/problems/01?lang=zh").json["statement_html"]
        assert server.ask("GET", "/api/learn/masks?lang=zh").json["pieces"]
    finally:
        assert server.stop() == 0
