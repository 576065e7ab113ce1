"""Measurement of the marker's agreement with a person on written answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from torchstone.app.home import Home
from torchstone.app.questions.marker import MEASURED
from torchstone.bank.questions.loader import load_questions
from torchstone.bank.questions.schema import AnswerFile
from torchstone.core.errors import BadInput
from torchstone.core.i18n import LANGS
from torchstone.study.marking import Agreement, measure, read_asked, read_written


def measure_answers(home: Home, file: Path | None = None) -> dict[str, Any]:
    """Return precision, recall and kappa by language and kind.

    Args:
        home: The learner's home, with the bank.
        file: Answers in the form of ``answers.toml``; by default those of all topics.

    Raises:
        BadInput: An answer refers to something that the bank does not have.
        TorchstoneError: The file is missing or violates its schema.
    """
    folders = load_questions(home.bank_root).folders.values()
    asked = [each for folder in folders for each in read_asked(folder / "topic.toml")]
    files = [file] if file else [folder / "answers.toml" for folder in folders]
    written = [answer for path in files for answer in read_written(path)]
    try:
        # The marker accepts any kind and language; the table has rows only for those of the schema.
        msgspec.convert({"answer": [msgspec.to_builtins(each) for each in written]}, AnswerFile)
        measured = measure(written, {question.id: question for question in asked})
    except ValueError as error:
        raise BadInput("study.answers_unusable", reason=error) from error
    return {
        "rows": [
            {
                "name": name,
                "answers": row.num_answers,
                "points": _numbers(row.points),
                "misconceptions": _numbers(row.misconceptions),
            }
            for name, row in measured.rows.items()
        ],
        "differing": [
            {"question": each.question, "id": each.id, "by": each.by, "text": each.text}
            for each in (*measured.points, *measured.misconceptions)
        ],
    }


def record_measured(home: Home, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write the results by language into the bank, where `ask` and the page read them.

    Raises:
        BadInput: The file cannot be written.
    """
    path = home.bank_root / MEASURED
    lines = ["# Written by `torchstone questions measure FILE --record`."]
    for row in rows:
        if row["name"] in LANGS:
            lines += [
                f"\n[{row['name']}]",
                f"answers = {row['answers']}",
                f"precision = {row['points']['precision']:.3f}",
                f"recall = {row['points']['recall']:.3f}",
                f"misconception_precision = {row['misconceptions']['precision']:.3f}",
            ]
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput("bank.unwritable", path=path, reason=error.strerror) from error
    return path


def _numbers(agreement: Agreement) -> dict[str, float]:
    return {name: getattr(agreement, name) for name in ("precision", "recall", "kappa")}
