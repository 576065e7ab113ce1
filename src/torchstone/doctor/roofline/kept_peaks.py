"""Keep the peaks that were measured on a machine, so that its traces without a card have some."""

from __future__ import annotations

from pathlib import Path

import msgspec

from torchstone.doctor.refusal import Refusal
from torchstone.doctor.roofline.peaks import Peaks


class KeptPeaks(msgspec.Struct, frozen=True, kw_only=True):
    """Hold peaks as a file has them.

    Attributes:
        name: The processor.
        host: The machine that they were measured on.
        threads: How many threads computed.
        flops: Operations a second by type.
        bandwidth: Bytes a second.
    """

    name: str
    host: str
    threads: int
    flops: dict[str, float]
    bandwidth: float

    def of_host(self, host: str) -> Peaks | None:
        """Return the peaks for what was recorded on a machine; nothing if it is another one."""
        if host != self.host:
            return None
        return Peaks(name=self.name, flops=self.flops, bandwidth=self.bandwidth, is_measured=True)


def write_peaks(kept: KeptPeaks, path: Path) -> None:
    """Write peaks to a file.

    Raises:
        Refusal: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + ".new")
        new.write_bytes(msgspec.json.encode(kept))
        new.replace(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Refusal("out_unwritable", folder=str(path.parent), reason=reason) from error


def read_peaks(path: Path) -> KeptPeaks | None:
    """Return the peaks in a file; nothing if it does not exist.

    Raises:
        Refusal: The file is no file of peaks.
    """
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=KeptPeaks)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeError) as error:
        raise Refusal("peaks_damaged", file=str(path)) from error
    if not all(0 < each < 1e18 for each in (kept.bandwidth, *kept.flops.values())):
        raise Refusal("peaks_damaged", file=str(path))
    return kept
