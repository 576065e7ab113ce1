from pathlib import Path

import pytest

from tests.kept import kept_folder
from torchstone.core import paths

pytestmark = pytest.mark.pure


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHSTONE_CACHE", str(tmp_path / "cache"))


def test_a_folder_is_kept_in_a_private_folder_of_the_user(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "")
    folder = kept_folder("products", tmp_path_factory)
    assert folder.is_relative_to(paths.cache_dir())
    assert paths.is_private_dir(folder)
    (folder / "product").touch()
    assert (kept_folder("products", tmp_path_factory) / "product").exists()


@pytest.mark.parametrize("worker", ["", "gw0"])
def test_in_ci_the_folder_is_one_of_this_run(
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    worker: str,
) -> None:
    base = tmp_path / "run" / worker
    base.mkdir(parents=True)
    monkeypatch.setattr(tmp_path_factory, "getbasetemp", lambda: base)
    monkeypatch.setenv("CI", "true")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    if worker:
        monkeypatch.setenv("PYTEST_XDIST_WORKER", worker)
    assert kept_folder("products", tmp_path_factory) == tmp_path / "run/products"
    assert not (tmp_path / "cache").exists()
