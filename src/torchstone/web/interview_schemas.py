"""Response and request schemas of interviews; see ``schemas.py`` for how they are made."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from torchstone.web.schemas import ApiModel, Text, Words

InterviewId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{1,24}$")]
ItemId = Annotated[Text, StringConstraints(min_length=1, max_length=120)]
# More than any answer; a longer one is refused with a sentence when it is handed in.
Written = Annotated[Text, Field(max_length=256_000)]
Sentence = Annotated[Text, Field(max_length=2000)]
Labels = Annotated[tuple[Annotated[Text, Field(max_length=120)], ...], Field(max_length=100)]
State = Literal["answering", "between", "paused", "ended"]
Strategy = Literal["progressive", "practice", "code", "open", "adapt"]
Reason = Literal[
    "strong", "weak", "practice", "program", "discussion", "informative", "form", "person"
]


class InterviewRow(ApiModel):
    """One interview of the list."""

    id: str
    level: str
    minutes: int
    mode: Literal["self", "conduct"]
    label: str
    begun_at: datetime
    state: str
    num_answers: int
    elapsed_ms: int


class InterviewList(ApiModel):
    """All interviews, the newest first."""

    interviews: list[InterviewRow]


class BeginInterview(ApiModel):
    """The arguments of an interview; a wrong one is refused with a sentence."""

    level: Annotated[Text, Field(max_length=100)]
    minutes: Annotated[int, Field(ge=-(10**9), le=10**9)]
    mode: Annotated[Text, Field(max_length=100)] = "self"
    seed: Annotated[int, Field(ge=-(2**60), le=2**60)] = 0
    factor: Annotated[float, Field(allow_inf_nan=False)] = 1.0
    label: Annotated[Text, Field(max_length=200)] = ""


class Begun(ApiModel):
    """An interview was begun."""

    id: str


class InterviewClock(ApiModel):
    """What the clocks read, in seconds."""

    elapsed_s: float
    item_left_s: float | None
    section_left_s: float | None
    total_left_s: float
    running: bool


class SeatClaim(ApiModel):
    """A claim that a prediction can choose, and the line that makes it."""

    id: str
    line: str


class SeatItem(ApiModel):
    """An item as it is asked: nothing of its answer, and nothing of why it is asked."""

    id: str
    kind: Literal["concept", "predict", "code", "open"]
    section: int
    minutes: float
    words: Words
    statement: str | None
    starter: str | None
    before: str | None
    after: str | None
    claims: list[SeatClaim]
    language: Literal["python", "cpp"] | None


class OfferedItem(SeatItem):
    """An item with the strategy that offers it."""

    strategy: Words
    because: Reason


class ItemOutcome(ApiModel):
    """What became of an item; of a program also the judge's verdict and its groups of cases."""

    item: str
    kind: str
    verdict: str | None
    passed: list[str]
    failed: list[str]
    is_cut_off: bool


class InterviewPage(ApiModel):
    """An interview as the one who answers sees it."""

    id: str
    mode: Literal["self", "conduct"]
    state: State
    level: str
    minutes: int
    factor: float
    seed: int
    label: str
    num_sections: int
    num_over: int
    num_pauses_left: int
    clock: InterviewClock
    item: OfferedItem | None
    draft: str | None
    last: ItemOutcome | None


class KeepDraft(ApiModel):
    """What is written so far of the answer to an item."""

    item: ItemId
    text: Written


class DraftKept(ApiModel):
    """The text is on the disk."""

    kept: Literal[True] = True


class AnswerItem(ApiModel):
    """An answer: a text, a program, or the claims that a prediction chooses."""

    item: ItemId
    text: Written = ""
    set: Labels | None = None


class OpenItem(ApiModel):
    """The item that this page takes for the open one."""

    item: ItemId


class SkipItem(ApiModel):
    """Leave an item; one who leads says why."""

    item: ItemId
    reason: Sentence = ""


class SampleRun(ApiModel):
    """The run of a program on its samples."""

    verdict: str
    num_passed: int
    num_cases: int
    error: str | None
    line: int | None
    printed: str


class SeatPage(ApiModel):
    """The candidate's window: the open item, and nothing else."""

    id: str
    state: State
    item_left_s: float | None
    total_left_s: float
    item: SeatItem | None
    draft: str | None


class GuidePoint(ApiModel):
    """A key point to tick, a criterion, or a misconception to listen for."""

    id: str
    html: Words
    weight: int | None


class Probe(ApiModel):
    """What to ask next, with an answer where there is one."""

    question: Words
    answer: Words


class GuideToItem(ApiModel):
    """What only the one who leads sees of an item, as safe HTML."""

    purpose: list[Words]
    answer: Words
    points: list[GuidePoint]
    misconceptions: list[GuidePoint]
    probes: list[Probe]
    anchors: list[Words]
    ticks: list[str]


class Proposal(ApiModel):
    """What the machine proposes; it is sent only after a person's score is stored."""

    anchor: int
    score: float


class ScoredItem(ApiModel):
    """An item that is over."""

    outcome: ItemOutcome
    words: Words
    answer: str
    skipped: str | None
    anchor: int | None
    evidence: str
    num_scores: int
    anchors: list[Words]
    proposal: Proposal | None


class InterviewNote(ApiModel):
    """A note, and the second at which it was written."""

    elapsed_s: float
    text: str
    is_quote: bool


class RemainingItem(ApiModel):
    """An item of the form that was not asked yet, and the minute at which it begins."""

    item: str
    kind: str
    words: Words
    minutes: float
    at_minute: float


class LeadPage(ApiModel):
    """An interview as the one who leads sees it."""

    page: InterviewPage
    guide: GuideToItem | None
    scored: list[ScoredItem]
    notes: list[InterviewNote]
    remaining: list[RemainingItem]
    next_item: str | None
    next_because: Reason | None
    form: Literal["fixed", "changed"]


class KeepTicks(ApiModel):
    """The key points that are ticked."""

    item: ItemId
    points: Labels


class WriteNote(ApiModel):
    """A note of the one who leads."""

    text: Annotated[Text, Field(min_length=1, max_length=8000)]
    is_quote: bool = False


class GiveScore(ApiModel):
    """A person's score of an item; a wrong one is refused with a sentence."""

    item: ItemId
    anchor: Annotated[int, Field(strict=True, ge=-(10**6), le=10**6)]
    evidence: Annotated[Text, Field(max_length=8000)] = ""
    reason: Sentence = ""


class SwapItem(ApiModel):
    """Another item in place of the open one, and why."""

    item: ItemId
    reason: Sentence = ""


class ScheduledStep(ApiModel):
    """A next step is in review."""

    review: str
    due: datetime
