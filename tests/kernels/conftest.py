"""What torch.compile keeps is kept for these tests alone."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def compiled_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep torch from taking a graph out of its cache that was made of operators as they were."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path_factory.mktemp("inductor")))
        yield
