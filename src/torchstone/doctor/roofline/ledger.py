"""``Ledger``: the attribution of time in a trace, computed once for all windows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from torchstone.doctor.correlate import Launches
from torchstone.doctor.events import Events
from torchstone.doctor.roofline.bound import Roofline
from torchstone.doctor.roofline.charge import Charges, charge
from torchstone.doctor.roofline.peaks import Peaks


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """Inputs of the rooflines of all windows of a trace.

    Attributes:
        events: Events of the rank.
        launches: Correlation of launch calls and device events.
        peaks: Peaks of the device or the processor, if known.
    """

    events: Events
    launches: Launches
    peaks: Peaks | None

    @cached_property
    def charges(self) -> Charges:
        """Return the attribution of the whole trace."""
        return charge(self.events, self.launches)

    def roofline(self, begin: float, end: float) -> Roofline:
        """Return the roofline of the units that start between two moments."""
        return Roofline(
            events=self.events, charges=self.charges, peaks=self.peaks, begin=begin, end=end
        )
