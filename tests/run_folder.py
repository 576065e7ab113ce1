"""A folder for what tests compile: one for all the processes of a run, and empty at its start."""

import os
from pathlib import Path

import pytest

from torchstone.core import paths


def run_folder(name: str, factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all processes of this run share."""
    base = factory.getbasetemp()
    return paths.private_dir((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name)
