"""Views of simulated runs, for the tests of the charts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.doctor.simulated import simulated
from torchstone.doctor.charts.view import View


@cache
def view_of(patient: str) -> View:
    """The view of a simulated patient; it is read once, for no test changes it."""
    with TemporaryDirectory() as folder:
        return View([simulated(Path(folder), patient)])
