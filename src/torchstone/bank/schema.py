"""Schemas of the TOML files of a problem: ``problem.toml``, ``hints.toml``, ``rubric.toml``.

A field that is not listed here is refused, so a misspelt one cannot be silently ignored.
"""

import math
import unicodedata
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.core.i18n import Lang

# A problem, or the operator of PyTorch over the kernel of one.
ProblemId = Annotated[str, Meta(pattern=r"^[0-9]{2}(op)?\Z")]
Slug = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*\Z", max_length=40)]
QuestionId = Annotated[str, Meta(pattern=r"^[0-9]+(\.[0-9]+){4}\Z")]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Count = Annotated[int, Meta(ge=0, le=1_000_000)]
Positive = Annotated[int, Meta(ge=1, le=1_000_000)]
Seconds = Annotated[float, Meta(gt=0, le=3600)]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A TOML table: immutable, and strict about its keys."""


class Words(_Table, frozen=True, kw_only=True):
    """The same thing said in English and in Chinese; neither is optional."""

    en: str
    zh: str

    def __post_init__(self) -> None:
        """Refuse a language that is empty, and Chinese without a Chinese character."""
        if not self.en.strip() or not self.zh.strip():
            raise ValueError("both `en` and `zh` are wanted, and one is empty")
        if not any(unicodedata.name(char, "").startswith("CJK UNIFIED") for char in self.zh):
            raise ValueError(f"Chinese is wanted in `zh`, got {self.zh[:40]!r}")

    def said_in(self, lang: Lang) -> str:
        """Return the words in one language."""
        return self.zh if lang == "zh" else self.en


class Kind(StrEnum):
    """What a submission defines, and so how it is driven."""

    FUNCTION = "function"
    MODULE = "module"
    AUTOGRAD_FUNCTION = "autograd_function"
    CLASS = "class"
    OPTIMIZER = "optimizer"
    SCHEDULER = "scheduler"
    LOADER = "loader"
    SCRIPT = "script"
    DISTRIBUTED = "distributed"
    CPP = "cpp"
    CUDA = "cuda"
    PACKAGE = "package"
    OPERATOR = "operator"


class Language(StrEnum):
    """In which language a submission is written."""

    PYTHON = "python"
    CUDA = "cuda"
    CPP = "cpp"
    BUNDLE = "bundle"

    @property
    def suffix(self) -> str:
        """Return the end of a file's name."""
        return _SUFFIXES[self]

    @property
    def comment(self) -> str:
        """Return what begins a comment that ends with its line."""
        return "//" if self in (Language.CUDA, Language.CPP) else "#"


_SUFFIXES = {
    Language.PYTHON: ".py",
    Language.CUDA: ".cu",
    Language.CPP: ".cpp",
    # A folder of files in one text, see `core.bundle`.
    Language.BUNDLE: ".bundle",
}
_LANGUAGES = {
    Kind.CUDA: Language.CUDA,
    Kind.CPP: Language.CPP,
    Kind.PACKAGE: Language.BUNDLE,
}


class Minutes(_Table, frozen=True, kw_only=True):
    """The planned time, alone with hints and in an interview."""

    practice: Positive
    interview: Positive


class InputSpec(_Table, frozen=True, kw_only=True):
    """One argument as a reader sees it; the shape and dtype are words, not types."""

    name: Name
    dtype: str = ""
    shape: str = ""
    grad: bool = False


class OutputSpec(_Table, frozen=True, kw_only=True):
    """One result as a reader sees it."""

    name: Name
    dtype: str = ""
    shape: str = ""


class Entry(_Table, frozen=True, kw_only=True):
    """What the submitted file must define and how it is called."""

    kind: Kind
    names: Annotated[tuple[Name, ...], Meta(min_length=1)]
    signature: Name
    inputs: tuple[InputSpec, ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    mutates: tuple[Name, ...] = ()


class Limits(_Table, frozen=True, kw_only=True):
    """What a submission may use.

    Units:
        cpu_s: CPU seconds over all cases. wall_s: seconds over all cases in which it may be idle.
        memory_mib: MiB above the base of the process.
        output_kib: KiB of standard output and error together.
    """

    wall_s: Seconds = 10.0
    cpu_s: Seconds = 10.0
    memory_mib: Positive = 1024
    processes: Count = 0
    threads: Positive = 1
    output_kib: Count = 64

    def __post_init__(self) -> None:
        """Refuse NaN, which slips through every comparison of a bound."""
        if math.isnan(self.wall_s) or math.isnan(self.cpu_s):
            raise ValueError("a number of seconds is wanted, got nan")


class Grad(_Table, frozen=True, kw_only=True):
    """Which gradients belong to the answer."""

    vjp: bool = False
    double: bool = False

    def __post_init__(self) -> None:
        """Refuse a second derivative without a first."""
        if self.double and not self.vjp:
            raise ValueError("`double = true` wants `vjp = true`")


class Deny(_Table, frozen=True, kw_only=True):
    """What a submission may not use."""

    families: tuple[Name, ...] = ()
    forward_only: tuple[Name, ...] = ()
    functions: tuple[Name, ...] = ()
    modules: tuple[Name, ...] = ()

    def __post_init__(self) -> None:
        """Refuse to lift a family that is not banned in the first place."""
        stray = sorted(set(self.forward_only) - set(self.families))
        if stray:
            raise ValueError(f"`forward_only` wants names of `families`, got {stray}")


class Calls(StrEnum):
    """Which functions of the CUDA runtime a submission may call."""

    NONE = "none"
    LAUNCH = "launch"
    SCRATCH = "scratch"


class Native(_Table, frozen=True, kw_only=True):
    """How a submission in CUDA C++ is built."""

    calls: Calls


class Extension(_Table, frozen=True, kw_only=True):
    """What a submission in C++ registers with torch.

    Attributes:
        namespace: Of its operators; it may register in no other.
    """

    namespace: Slug


class Package(_Table, frozen=True, kw_only=True):
    """What the wheel is that a submission builds.

    Attributes:
        distribution: Its name on an index.
        version: Its version.
        module: The package that is imported, and the namespace of its operators.
        requires: Distributions that its metadata must name.
    """

    distribution: Name
    version: Name
    module: Slug
    requires: tuple[Name, ...] = ()


class Operator(_Table, frozen=True, kw_only=True):
    """What a submission in Python registers with torch, over a kernel that is given.

    Attributes:
        over: The problem in CUDA whose model kernel it is; it runs on the simulator.
        namespace: Of its operators.
    """

    over: ProblemId
    namespace: Slug


class Subtask(_Table, frozen=True, kw_only=True):
    """A part of a problem that earns points of its own."""

    name: Slug
    points: Positive
    title: Words
    groups: tuple[Name, ...] = ()


Scalar = bool | int | float | str


class ProblemSpec(_Table, frozen=True, kw_only=True):
    """The content of ``problem.toml``."""

    id: ProblemId
    slug: Slug
    version: Positive
    part: Annotated[int, Meta(ge=1, le=5)]
    stars: Annotated[int, Meta(ge=1, le=5)]
    minutes: Minutes
    title: Words
    concepts: Annotated[tuple[QuestionId, ...], Meta(min_length=1)]
    entry: Entry
    prerequisites: tuple[ProblemId, ...] = ()
    limits: Limits = Limits()
    grad: Grad = Grad()
    deny: Deny = Deny()
    tolerance: dict[str, Scalar] = {}
    require: dict[str, Scalar] = {}
    perf: dict[str, Scalar] = {}
    native: Native | None = None
    cpp: Extension | None = None
    package: Package | None = None
    operator: Operator | None = None
    subtasks: tuple[Subtask, ...] = msgspec.field(default=(), name="subtask")

    def __post_init__(self) -> None:
        """Refuse a kind without the table that it is built by, and the other way round."""
        tables = {
            Kind.CUDA: self.native,
            Kind.CPP: self.cpp,
            Kind.PACKAGE: self.package,
            Kind.OPERATOR: self.operator,
        }
        for kind, table in tables.items():
            if (self.entry.kind is kind) != (table is not None):
                name = "native" if kind is Kind.CUDA else kind.value
                raise ValueError(f"`[{name}]` is wanted for the kind `{kind}`, and for no other")

    @property
    def language(self) -> Language:
        """Return the language of a submission."""
        return _LANGUAGES.get(self.entry.kind, Language.PYTHON)

    @property
    def is_built(self) -> bool:
        """Return whether something is built before a submission is judged: it, or what it calls."""
        return self.language is not Language.PYTHON or self.operator is not None


class Rung(StrEnum):
    """The rungs of the hint ladder, from a nudge to nearly everything."""

    NUDGE = "nudge"
    CONCEPT = "concept"
    SHAPE = "shape"
    NEAR = "near"


class Hint(_Table, frozen=True, kw_only=True):
    """One rung of the ladder."""

    rung: Rung
    en: str
    zh: str

    @property
    def words(self) -> Words:
        """Return the text of the hint."""
        return Words(en=self.en, zh=self.zh)

    def __post_init__(self) -> None:
        """Hold both languages to the rules of ``Words``."""
        Words(en=self.en, zh=self.zh)


class HintFile(_Table, frozen=True, kw_only=True):
    """The content of ``hints.toml``."""

    hints: tuple[Hint, ...] = msgspec.field(name="hint")

    def __post_init__(self) -> None:
        """Refuse a ladder with a missing, doubled or misplaced rung."""
        came = [hint.rung.value for hint in self.hints]
        wanted = [rung.value for rung in Rung]
        if came != wanted:
            raise ValueError(f"the rungs {wanted} are wanted in this order, got {came}")


class Followup(_Table, frozen=True, kw_only=True):
    """A question an interviewer asks next."""

    question: Words
    answer: Words


class Level(_Table, frozen=True, kw_only=True):
    """What earns a score."""

    score: Annotated[int, Meta(ge=0, le=3)]
    anchor: Words


class Rubric(_Table, frozen=True, kw_only=True):
    """The content of ``rubric.toml``."""

    minutes: Positive
    followups: Annotated[tuple[Followup, ...], Meta(min_length=1)] = msgspec.field(name="followup")
    levels: tuple[Level, ...] = msgspec.field(name="level")

    def __post_init__(self) -> None:
        """Refuse levels other than 0, 1, 2, 3, each once and in order."""
        came = [level.score for level in self.levels]
        if came != [0, 1, 2, 3]:
            raise ValueError(f"levels with the scores [0, 1, 2, 3] are wanted, got {came}")
