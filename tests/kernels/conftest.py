"""Each instruction set in turn; and what torch.compile keeps and changes stays with these tests."""

import importlib
import warnings
from collections.abc import Iterator

import pytest
import torch

from torchstone import kernels
from torchstone.kernels.library import instruction_set


@pytest.fixture(scope="session", autouse=True)
def compiled_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep torch from taking a graph out of its cache that was made of operators as they were."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path_factory.mktemp("inductor")))
        # When Inductor first compiles it imports this, which uses what torch no longer wants used.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            importlib.import_module("torch.utils.mkldnn")
        yield


@pytest.fixture(autouse=True)
def validating_distributions() -> Iterator[None]:
    """Undo what torch.compile does for ever to whoever comes next in this process."""
    yield
    torch.distributions.Distribution.set_default_validate_args(__debug__)


@pytest.fixture(params=("avx512_bf16", "avx512", "avx2", "plain"))
def each_set(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compute with each instruction set; with the best one in place of those that lack."""
    assert kernels.load()
    try:
        best = instruction_set(request.param)
    except ValueError:
        return (yield)
    try:
        yield
    finally:
        instruction_set(best)
