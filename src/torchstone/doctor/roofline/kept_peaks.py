"""Storage of calibrated peaks, for later traces without a device from the same machine."""

from __future__ import annotations

from pathlib import Path

import msgspec

from torchstone.doctor.refusal import Refusal
from torchstone.doctor.roofline.peaks import Peaks


class KeptPeaks(msgspec.Struct, frozen=True, kw_only=True):
    """Peaks, as stored in a file.

    Attributes:
        name: Name of the processor.
        host: Name of the machine.
        threads: Number of compute threads.
        flops: Operations per second by dtype.
        bandwidth: Bytes per second.
    """

    name: str
    host: str
    threads: int
    flops: dict[str, float]
    bandwidth: float

    def of_host(self, host: str) -> Peaks | None:
        """Return the peaks for recordings from a machine; None if it is a different one."""
        if host != self.host:
            return None
        return Peaks(name=self.name, flops=self.flops, bandwidth=self.bandwidth, is_measured=True)


def write_peaks(kept: KeptPeaks, path: Path) -> None:
    """Write peaks to a file.

    Raises:
        Refusal: The file cannot be written.
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
    """Return the peaks in a file; None if it does not exist.

    Raises:
        Refusal: The file does not contain peaks.
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
