"""Response schemas of receipts: one receipt with its program, and the result of a verification."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from torchstone.app.judging.receipts import Conclusion
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Verdict
from torchstone.judge import receipt as judge_receipt
from torchstone.web.schema_derivation import derive
from torchstone.web.schemas import ApiModel, Words


class ReceiptPage(ApiModel):
    """A receipt of the history with its program.

    Args:
        title: The title of the problem; None if the bank does not contain it.
        num_passed: The number of accepted cases.
        num_cases: The number of judged cases.
    """

    submission: str
    id: str
    problem: str
    title: Words | None
    verdict: Verdict
    aspect: str | None
    group: str | None
    groups: list[str] | None
    num_passed: int
    num_cases: int
    time_ms: float
    created_at: str
    isolation: Isolation
    torchstone: str
    torch: str
    python: str
    machine: str
    seed: str
    content_hash: str
    judge_hash: str
    source_hash: str
    hash: str
    replayable: bool
    source: str


if TYPE_CHECKING:
    Difference: TypeAlias = ApiModel
else:
    Difference = derive(judge_receipt.Difference)


class Verification(ApiModel):
    """All findings of a verification, see ``app.judging.receipts``."""

    id: str
    problem: str
    title: Words
    recorded: str
    groups: list[str] | None
    isolation: str
    conclusion: Conclusion
    hash_holds: bool
    source_holds: bool
    same_problem: bool
    same_judge: bool
    same_torch: bool
    replay: str | None
    differences: list[Difference]
    fresh: str | None
