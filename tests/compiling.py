"""Build the kernels before the tests, and undo after them what torch.compile keeps and changes."""

import importlib
import warnings
from collections.abc import Iterator

import pytest
import torch

from tests.run_folder import run_folder
from torchstone import kernels


@pytest.fixture(scope="session", autouse=True)
def compiled_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep torch from taking a graph out of its cache that was made of operators as they were."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHINDUCTOR_CACHE_DIR", str(run_folder("inductor", tmp_path_factory)))
        # When Inductor first compiles it imports this, which uses what torch no longer wants used.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            importlib.import_module("torch.utils.mkldnn")
        yield


@pytest.fixture(scope="session", autouse=True)
def built_kernels() -> None:
    """Wait for the kernels, however long the build takes: or a test would use plain torch."""
    assert kernels.load()


@pytest.fixture(autouse=True)
def validating_distributions() -> Iterator[None]:
    """Undo what torch.compile does for ever to whoever comes next in this process."""
    yield
    torch.distributions.Distribution.set_default_validate_args(__debug__)
