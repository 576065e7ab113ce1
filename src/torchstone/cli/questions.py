"""Commands of the questions of interviews: questions list, show, run, check, ..."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from torchstone.app.questions.authoring import QuestionProof
    from torchstone.app.questions.running import CellRun
    from torchstone.bank.questions.finding import Finding
    from torchstone.judge.questions.prover import TopicProof


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "questions")
    for name, function in (
        ("list", list_questions),
        ("show", show),
        ("check", check),
        ("measure", measure),
        ("new", new),
        ("run", run),
        ("export", export),
    ):
        command(group, name)(function)


def list_questions(
    screen: Screen,
    chapter: Annotated[
        int | None, typer.Option("--chapter", min=1, metavar="N", help="option.chapter")
    ] = None,
    level: Annotated[
        int | None, typer.Option("--level", min=1, max=4, metavar="N", help="option.level")
    ] = None,
) -> ExitCode:
    """List the questions."""
    from torchstone.app.questions import reading
    from torchstone.cli.layout import span, two_sided
    from torchstone.cli.palette import NUMBER, STRONG

    topics = reading.list_questions(screen.home(), chapter=chapter, level=level)
    if screen.as_json:
        screen.answer({"ok": True, "topics": topics})
        return ExitCode.ACCEPTED
    for topic in topics:
        screen.out.print(span((topic["id"], NUMBER), "  ", (topic["title"][screen.lang], STRONG)))
        for question in topic["questions"]:
            words = span((question["id"], NUMBER), "  ", question["question"][screen.lang])
            note = screen.say("questions.level", level=question["level"])
            for line in two_sided(words, note, screen.columns):
                screen.out.print(line)
    return ExitCode.ACCEPTED


def show(
    screen: Screen,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="argument.question")],
    answer: Annotated[bool, typer.Option("--answer", help="option.answer")] = False,
) -> ExitCode:
    """Show a question; its answer only on request."""
    from torchstone.app.questions import reading
    from torchstone.bank.questions.texts import HEADINGS, PARTS
    from torchstone.cli.prose import print_markdown

    shown = reading.show_question(screen.home(), question, with_answer=answer)
    if screen.as_json:
        screen.answer({"ok": True, **shown})
        return ExitCode.ACCEPTED
    text = [f"# {shown['id']} {shown['question'][screen.lang]}"]
    if answer:
        headings = dict(zip(PARTS, HEADINGS[screen.lang], strict=True))
        parts = reading.spoken_parts(shown["answer"], screen.lang)
        text += [f"## {headings[part]}\n\n{words}" for part, words in parts]
    else:
        text.append(screen.say("questions.think", minutes=shown["minutes"], id=shown["id"]))
    print_markdown(screen, "\n\n".join(text))
    return ExitCode.ACCEPTED


def check(
    screen: Screen,
    topics: Annotated[
        list[str] | None, typer.Argument(metavar="TOPIC", help="argument.topics")
    ] = None,
    update: Annotated[bool, typer.Option("--update", help="option.update")] = False,
    mutants: Annotated[bool, typer.Option("--mutants", help="option.cell_mutants")] = False,
    record: Annotated[bool, typer.Option("--record", help="option.record_topic")] = False,
    changed: Annotated[bool, typer.Option("--changed", help="option.changed_topics")] = False,
    today: Annotated[bool, typer.Option("--today", help="option.today")] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, max=64, metavar="N", help="option.jobs")
    ] = 1,
) -> ExitCode:
    """Prove topics of questions."""
    from torchstone.app.questions import authoring

    def on_proof(proof: TopicProof) -> None:
        if not screen.as_json:
            for line in _proof_lines(screen, proof):
                screen.out.print(line)

    found = authoring.check(
        screen.home(),
        topics or (),
        jobs=jobs,
        mutants=mutants,
        update=update,
        record=record,
        only_changed=changed,
        today=datetime.now(UTC).date() if today else None,
        on_proof=on_proof,
    )
    if screen.as_json:
        screen.answer(
            {
                "ok": True,
                "holds": found.holds,
                "topics": [authoring.plain(proof) for proof in found.proofs],
                "bank": [finding.plain() for finding in found.bank],
                "updated": list(found.updated),
            }
        )
    else:
        for line in _sum_lines(screen, found):
            screen.out.print(line)
    return ExitCode.ACCEPTED if found.holds else ExitCode.NOT_ACCEPTED


def measure(
    screen: Screen,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="argument.answers")] = None,
    record: Annotated[bool, typer.Option("--record", help="option.record_measured")] = False,
) -> ExitCode:
    """Measure how well the marking agrees with a person."""
    from torchstone.app.questions.measuring import measure_answers, record_measured

    found = measure_answers(screen.home(), file)
    if record:
        record_measured(screen.home(), found["rows"])
    if screen.as_json:
        screen.answer({"ok": True, **found})
        return ExitCode.ACCEPTED
    for row in found["rows"]:
        name = screen.say(f"questions.row.{row['name']}", count=row["answers"])
        screen.write(name)
        for what in ("points", "misconceptions"):
            numbers = {key: f"{value:.2f}" for key, value in row[what].items()}
            screen.write("  " + screen.say(f"questions.{what}", **numbers))
    return ExitCode.ACCEPTED


def new(
    screen: Screen,
    topic: Annotated[str, typer.Argument(metavar="TOPIC", help="argument.topic")],
) -> ExitCode:
    """Create the folder of a topic."""
    from torchstone.app.questions.authoring import begin_topic

    folder = begin_topic(screen.home(), topic)
    if screen.as_json:
        screen.answer({"ok": True, "path": str(folder)})
    else:
        screen.write(str(folder))
        screen.note(screen.say("questions.begun", id=topic))
    return ExitCode.ACCEPTED


def run(
    screen: Screen,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="argument.question")],
    cell: Annotated[str | None, typer.Option("--cell", metavar="NAME", help="option.cell")] = None,
    edit: Annotated[
        Path | None, typer.Option("--edit", metavar="FILE", help="option.cell_edit")
    ] = None,
) -> ExitCode:
    """Run a cell of an answer."""
    from torchstone.app.judging.source import read_source
    from torchstone.app.questions.running import run_cell

    edited = None if edit is None else read_source(edit)
    found = run_cell(screen.home(), question, cell, edited=edited)
    if screen.as_json:
        screen.answer(found.plain())
    else:
        for line in _run_lines(screen, found):
            screen.out.print(line)
    return ExitCode.ACCEPTED if found.ok else ExitCode.NOT_ACCEPTED


def export(
    screen: Screen,
    anki: Annotated[Path | None, typer.Option("--anki", metavar="FILE", help="option.anki")] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="DIR", help="option.markdown")
    ] = None,
) -> ExitCode:
    """Write the questions as cards, as pages, or both."""
    from torchstone.app.questions.exporting import export_cards, export_texts
    from torchstone.core.errors import BadInput

    if anki is None and markdown is None:
        raise BadInput("cli.nothing_to_export")
    home, written = screen.home(), []
    if anki is not None:
        written.append({"kind": "anki", "path": str(anki), "count": export_cards(home, anki)})
    if markdown is not None:
        count = export_texts(home, markdown)
        written.append({"kind": "markdown", "path": str(markdown), "count": count})
    if screen.as_json:
        screen.answer({"ok": True, "written": written})
    else:
        for each in written:
            screen.write(screen.say(f"questions.exported_{each['kind']}", **each))
    return ExitCode.ACCEPTED


def _run_lines(screen: Screen, found: CellRun) -> Iterator[Text]:
    from torchstone.cli.layout import paragraph, span
    from torchstone.cli.palette import FAILED, GOLD, PASSED, WRONG

    for line in found.stdout.splitlines():
        yield span(line)
    if found.error is not None:
        kind = found.error.kind
        if kind == "raised" and found.error.line is None:
            kind = "raised_nowhere"
        words = screen.say(
            f"questions.ended.{kind}",
            line=found.error.line,
            type=found.error.type,
            message=found.error.message,
        )
        yield from paragraph(words, screen.columns, style=WRONG)
    for claim, held in found.claims.items():
        mark = (PASSED, GOLD) if held else (FAILED, WRONG)
        state = {True: "claim_true", False: "claim_false", None: "claim_open"}[held]
        yield span(mark, " ", claim, "  ", screen.say(f"questions.{state}"))
    numbers = {"time_ms": found.time_ms, "isolation": found.isolation}
    yield from paragraph(screen.say("questions.ran", **numbers), screen.columns)


def _proof_lines(screen: Screen, proof: TopicProof) -> Iterator[Text]:
    from torchstone.cli.layout import span, two_sided
    from torchstone.cli.palette import FAILED, GOLD, NUMBER, PASSED, WRONG

    mark = (PASSED, GOLD) if proof.holds else (FAILED, WRONG)
    seconds = f"{proof.facts.cpu_s:.1f}" if proof.facts else "-"
    note = screen.say("questions.cpu", seconds=seconds)
    num, killed = proof.num_mutants
    if num:
        note = screen.say("questions.mutants", killed=killed, count=num) + "  " + note
    title = span(mark, " ", (proof.topic.id, NUMBER), "  ", proof.topic.spec.slug)
    yield from two_sided(title, note, screen.columns)
    for finding in proof.findings:
        yield from _finding_lines(screen, finding)


def _finding_lines(screen: Screen, finding: Finding) -> Iterator[Text]:
    from torchstone.cli.layout import paragraph
    from torchstone.cli.palette import WRONG

    words = f"{finding.code} {finding.where}: {finding.said_in(screen.lang)}"
    yield from paragraph(words, screen.columns, style=WRONG, margin=4)


def _sum_lines(screen: Screen, found: QuestionProof) -> Iterator[Text]:
    from torchstone.cli.layout import paragraph

    for finding in found.bank:
        yield from _finding_lines(screen, finding)
    held = sum(proof.holds for proof in found.proofs)
    seconds = sum(proof.facts.cpu_s for proof in found.proofs if proof.facts)
    words = screen.say("questions.sum", held=held, count=len(found.proofs), seconds=round(seconds))
    yield from paragraph(words, screen.columns)
