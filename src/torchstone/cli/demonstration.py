"""Without a terminal and without a command: show what the judge says to some sample answers."""

from __future__ import annotations

from torchstone.cli.progress import Progress
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode


def demonstrate(screen: Screen) -> ExitCode:
    """Judge the sample answers of the first problem and print the verdicts."""
    from torchstone.app.samples import judge_samples
    from torchstone.cli.layout import paragraph, span, two_sided
    from torchstone.cli.palette import MARKS

    results = []
    with Progress(screen) as progress:
        for sample in judge_samples(screen.home(), progress.on_event):
            progress.show("")
            judged = sample.judged
            results.append({"file": sample.file, **judged.as_json()})
            if screen.as_json:
                continue
            mark = MARKS[judged.verdict]
            line = span((f"{mark.glyph} {judged.verdict}", mark.style), f"  {sample.file}")
            note = f"{judged.report['time_ms']:.0f} ms"
            for each in two_sided(line, note, screen.columns):
                screen.out.print(each)
            if judged.misconception is not None:
                words = judged.misconception.said_in(screen.lang)
                for each in paragraph(words, screen.columns, margin=6):
                    screen.out.print(each)
    if screen.as_json:
        screen.answer({"ok": True, "samples": results})
    else:
        screen.write()
        screen.write(screen.say("demonstration.closing"))
    return ExitCode.ACCEPTED
