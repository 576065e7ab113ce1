"""The ledger of a trace: what is charged to what, found once for all windows that are judged."""

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
    """Hold what the roofline of any window of a trace needs.

    Attributes:
        events: The events.
        launches: Which call launched what.
        peaks: The peaks of the card, or of the processor, if known.
    """

    events: Events
    launches: Launches
    peaks: Peaks | None

    @cached_property
    def charges(self) -> Charges:
        """Return what is charged to what."""
        return charge(self.events, self.launches)

    def roofline(self, begin: float, end: float) -> Roofline:
        """Return the roofline of what begins between two moments."""
        return Roofline(
            events=self.events, charges=self.charges, peaks=self.peaks, begin=begin, end=end
        )
