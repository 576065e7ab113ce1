"""Programs of the content are simulated with the settings of the simulator's tests."""

from tests.cudasim.conftest import cusim_settings

__all__ = ["cusim_settings"]
