"""Output of the doctor about two runs, and about the processor of this machine."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from torchstone.app.programs import doctor
from torchstone.cli.layout import labelled, paragraph, span
from torchstone.cli.palette import NUMBER, SECONDARY
from torchstone.cli.screen import Screen

_LABEL_WIDTH = 24
# A smaller difference, as a share of the longer step, has no line of its own.
_LEAST_SHARE = 0.005


def draw_comparison(screen: Screen, compared: doctor.Comparison) -> Iterator[Text]:
    """Yield the sentence first, then both steps, the accounts that differ, and the findings."""
    yield from paragraph(compared.summary, screen.columns)
    yield Text()
    for name, side in (("before", compared.before), ("later", compared.after)):
        yield _fact(screen, name, f"{side.step_ms:10.2f} ms  {side.verdict}")
    yield _fact(screen, "ratio", f"{compared.ratio:10.2f}")
    yield Text()
    least = _LEAST_SHARE * max(compared.before.step_ms, compared.after.step_ms)
    for name, account in compared.accounts.items():
        if max(account.before_ms, account.after_ms) >= least:
            label = screen.say(f"doctor.share.{name.replace('.', '_')}")
            words = span(
                (f"{account.before_ms:10.2f} → {account.after_ms:.2f} ms", NUMBER),
                (f"  {account.difference_ms:+.2f}", SECONDARY),
            )
            yield labelled(f"  {label}", _LABEL_WIDTH, words)
    for name in ("vanished", "new", "stayed"):
        codes: list[str] = getattr(compared, name)
        if codes:
            yield _fact(screen, name, ", ".join(codes))


def draw_calibration(screen: Screen, measured: doctor.Calibration) -> Iterator[Text]:
    """Yield what the processor reaches, and where that is kept."""
    yield _fact(screen, "device", measured.name)
    yield _fact(screen, "threads", str(measured.threads))
    for dtype, flops in measured.flops.items():
        yield labelled(f"  {dtype}", _LABEL_WIDTH, f"{flops / 1e9:10.1f} GFLOP/s")
    yield _fact(screen, "bandwidth", f"{measured.bandwidth / 1e9:10.1f} GB/s")
    yield _fact(screen, "ridge", f"{measured.ridge:10.1f} FLOP/B")
    yield _fact(screen, "kept", measured.file)


def _fact(screen: Screen, name: str, words: str) -> Text:
    return labelled(f"  {screen.say(f'doctor.{name}')}", _LABEL_WIDTH, words)
