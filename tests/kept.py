"""Folders for what tests compile, which takes long and depends on nothing but what is hashed."""

import os
from pathlib import Path

import pytest

from torchstone.core import paths


def kept_folder(name: str, factory: pytest.TempPathFactory) -> Path:
    """Return a folder in the user's cache that later runs find as it was left.

    Every entry must have the hash of everything that it depends on in its name. With ``CI=true``
    the folder is one of this run, so it is empty at first.
    """
    if os.environ.get("CI") != "true":
        return paths.private_dir(paths.cache_dir() / "tests" / name)
    base = factory.getbasetemp()
    # The folder of the whole run, which all its processes share.
    return paths.private_dir((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name)
