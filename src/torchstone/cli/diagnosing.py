"""Output of the doctor: two sentences, where the time goes, and each finding with its cure."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import msgspec
from rich.text import Text

from torchstone.app.programs import doctor
from torchstone.cli.layout import labelled, paragraph, span
from torchstone.cli.palette import NUMBER, SECONDARY, STRONG, WRONG
from torchstone.cli.progress import Progress
from torchstone.cli.screen import Screen

# A bar of the accounting.
_BAR = 30
# A smaller share has no line of its own.
_LEAST_SHARE = 0.005
_LABEL_WIDTH = 24


def follow_run(screen: Screen, plan: doctor.RunPlan) -> doctor.Examination:
    """Run a program, show how far it is, and return what was found."""
    phase, found = "", None
    events = contextlib.closing(doctor.run(plan, screen.lang))
    with Progress(screen) as progress, events as following:
        for event in following:
            if isinstance(event, doctor.Examination):
                found = event
                continue
            words = {"steps": event.steps, "seconds": f"{event.seconds:.0f}"}
            # A log should say once what takes so long.
            is_new, phase = event.phase != phase, event.phase
            progress.show(screen.say(f"doctor.run.{phase}", **words), always=is_new)
    assert found is not None, "follow raises if the last event is another one"
    return found


def draw_diagnosis(screen: Screen, found: doctor.Diagnosis) -> Iterator[Text]:
    """Yield the verdict first, then what it is based on."""
    say = screen.say
    healthy = found.bottleneck == "healthy"
    yield span("  ", (found.findings[0].title, STRONG if healthy else WRONG))
    yield from paragraph(found.summary.manager, screen.columns)
    yield Text()
    yield _fact(screen, "device", found.source.device or say("doctor.no_device"))
    step_ms = f"{found.window.step_ms:.2f}"
    how = "steps" if found.window.steps else "whole"
    yield _fact(screen, "window", say(f"doctor.{how}", steps=found.window.steps, step_ms=step_ms))
    if isinstance(found, doctor.Examination):
        yield from _draw_run(screen, found)
    yield Text()
    yield from _draw_accounting(screen, found.accounting)
    for finding in found.findings:
        yield Text()
        yield from _draw_finding(screen, finding)
    if found.quality.notes:
        yield Text()
    for note in found.quality.notes:
        yield from paragraph(f"· {note}", screen.columns, style=SECONDARY)


def _draw_run(screen: Screen, found: doctor.Examination) -> Iterator[Text]:
    run, dilation = found.run, found.quality.dilation
    if dilation is not None:
        watched = f"{run.watched_step_ms:.2f} ms (×{dilation:.2f})"
        yield _fact(screen, "watched", watched)


def _draw_accounting(screen: Screen, accounting: doctor.Accounting) -> Iterator[Text]:
    shares: dict[str, float] = msgspec.to_builtins(accounting)
    idle = {f"idle_{name}": share for name, share in accounting.idle.items()}
    del shares["idle"]
    for name, share in (shares | idle).items():
        if share >= _LEAST_SHARE:
            bar = "█" * max(1, round(share * _BAR))
            words = span((f"{share:6.1%} ", NUMBER), (bar, SECONDARY))
            yield labelled(f"  {screen.say(f'doctor.share.{name}')}", _LABEL_WIDTH, words)


def _draw_finding(screen: Screen, finding: doctor.Finding) -> Iterator[Text]:
    say = screen.say
    sure = say("doctor.sure", confidence=f"{finding.confidence:.0%}")
    yield span(
        "  ", (finding.code, NUMBER), "  ", (finding.title, STRONG), (f"  {sure}", SECONDARY)
    )
    yield from paragraph(finding.explanation, screen.columns)
    for place in finding.places[:3]:
        where = f"{place.file}:{place.line}"
        yield span(
            "    ", (where, NUMBER), f" {place.function}", (f"  {place.share:.0%}", SECONDARY)
        )
    yield from paragraph(f"→ {finding.prescription}", screen.columns)
    low, high = finding.predicted_step_ms
    if finding.recoverable_ms:
        after = say("doctor.after", low=f"{low:.2f}", high=f"{high:.2f}")
        yield from paragraph(after, screen.columns, style=SECONDARY)


def draw_manual(screen: Screen, manual: doctor.Manual) -> Iterator[Text]:
    """Yield a line for each rule; of one alone its whole page."""
    for page in manual.rules:
        yield span("  ", (page.code, NUMBER), "  ", (page.title, STRONG))
        if len(manual.rules) > 1:
            continue
        yield from paragraph(page.about, screen.columns)
        for name, value in page.thresholds.items():
            yield labelled(f"    {name}", _LABEL_WIDTH, f"{value:g}")
        yield from paragraph(f"→ {page.prescription}", screen.columns)


def _fact(screen: Screen, name: str, words: str) -> Text:
    return labelled(f"  {screen.say(f'doctor.{name}')}", _LABEL_WIDTH, words)
