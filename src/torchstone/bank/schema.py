"""Schemas of the TOML files of a problem: ``problem.toml``, ``hints.toml``, ``rubric.toml``.

An unknown field is an error, so a misspelt field cannot be ignored silently.
"""

import math
import unicodedata
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.core.i18n import Lang

# The id of a problem, of the PyTorch operator over the kernel of a problem, or of a code task of an
# interview.
ProblemId = Annotated[str, Meta(pattern=r"^([0-9]{2}(op)?|c[0-9]{2})\Z")]
Slug = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*\Z", max_length=40)]
QuestionId = Annotated[str, Meta(pattern=r"^[0-9]+(\.[0-9]+){4}\Z")]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Count = Annotated[int, Meta(ge=0, le=1_000_000)]
Positive = Annotated[int, Meta(ge=1, le=1_000_000)]
Seconds = Annotated[float, Meta(gt=0, le=3600)]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A TOML table: immutable, without unknown keys."""


class Words(_Table, frozen=True, kw_only=True):
    """A text in English and in Chinese; both are required."""

    en: str
    zh: str

    def __post_init__(self) -> None:
        """Check that both languages have text, and that the Chinese text is Chinese."""
        if not self.en.strip() or not self.zh.strip():
            raise ValueError("`en` and `zh` must both have text; one is empty")
        if not any(unicodedata.name(char, "").startswith("CJK UNIFIED") for char in self.zh):
            raise ValueError(f"`zh` must be Chinese; got {self.zh[:40]!r}")

    def said_in(self, lang: Lang) -> str:
        """Return the text in one language."""
        return self.zh if lang == "zh" else self.en


class Language(StrEnum):
    """The programming language of a submission."""

    PYTHON = "python"
    CUDA = "cuda"
    CPP = "cpp"
    BUNDLE = "bundle"

    @property
    def suffix(self) -> str:
        """Return the suffix of a file name."""
        return _SUFFIXES[self]

    @property
    def comment(self) -> str:
        """Return the prefix of a line comment."""
        return "//" if self in (Language.CUDA, Language.CPP) else "#"


_SUFFIXES = {
    Language.PYTHON: ".py",
    Language.CUDA: ".cu",
    Language.CPP: ".cpp",
    # The files of a folder in one text, see `core.bundle`.
    Language.BUNDLE: ".bundle",
}


class Kind(StrEnum):
    """The kind of thing that a submission defines; it determines how the judge calls it."""

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

    @property
    def language(self) -> Language:
        """Return the language of a submission."""
        return _LANGUAGES.get(self, Language.PYTHON)


_LANGUAGES = {Kind.CUDA: Language.CUDA, Kind.CPP: Language.CPP, Kind.PACKAGE: Language.BUNDLE}


class Starter(StrEnum):
    """What starts a script: the interpreter, or a launcher of several ranks."""

    PYTHON = "python"
    TORCHRUN = "torchrun"


class Minutes(_Table, frozen=True, kw_only=True):
    """The planned time, alone with hints and in an interview."""

    practice: Positive
    interview: Positive


class Entry(_Table, frozen=True, kw_only=True):
    """The entry that the submitted file must define, and its call."""

    kind: Kind
    names: Annotated[tuple[Name, ...], Meta(min_length=1)]
    signature: Name
    started_by: Starter = Starter.PYTHON

    def __post_init__(self) -> None:
        """Check that only a script is started by a launcher."""
        if self.started_by is not Starter.PYTHON and self.kind is not Kind.SCRIPT:
            raise ValueError(f"only the kind `script` has `started_by`; got `{self.kind}`")


class Limits(_Table, frozen=True, kw_only=True):
    """The resource limits of a submission.

    Units:
        cpu_s: CPU seconds over all cases. wall_s: seconds over all cases in which it may be idle.
        memory_mib: MiB above the memory of the idle process.
        output_kib: KiB of standard output and standard error together.
        disk_mib: MiB that the files of a submission that may write take together.
    """

    wall_s: Seconds = 10.0
    cpu_s: Seconds = 10.0
    memory_mib: Positive = 1024
    processes: Count = 0
    output_kib: Count = 64
    disk_mib: Positive = 64

    def __post_init__(self) -> None:
        """Check for NaN, because every comparison of a bound accepts it."""
        if math.isnan(self.wall_s) or math.isnan(self.cpu_s):
            raise ValueError("expected a number of seconds; got nan")


class Deny(_Table, frozen=True, kw_only=True):
    """The bans of a problem."""

    families: tuple[Name, ...] = ()
    forward_only: tuple[Name, ...] = ()
    functions: tuple[Name, ...] = ()
    modules: tuple[Name, ...] = ()

    def __post_init__(self) -> None:
        """Check that only a banned family has an exception."""
        stray = sorted(set(self.forward_only) - set(self.families))
        if stray:
            raise ValueError(f"`forward_only` must name members of `families`; got {stray}")


class Calls(StrEnum):
    """The functions of the CUDA runtime that a submission may call."""

    NONE = "none"
    LAUNCH = "launch"
    SCRATCH = "scratch"


class Native(_Table, frozen=True, kw_only=True):
    """The build options of a submission in CUDA C++."""

    calls: Calls


class Extension(_Table, frozen=True, kw_only=True):
    """The operators that a submission in C++ registers with torch.

    Attributes:
        namespace: The namespace of its operators; it may not register in another one.
    """

    namespace: Slug


class Package(_Table, frozen=True, kw_only=True):
    """The wheel that a submission builds.

    Attributes:
        distribution: Its name on a package index.
        version: Its version.
        module: The imported package, and the namespace of its operators.
        requires: Distributions that its metadata must name.
    """

    distribution: Name
    version: Name
    module: Slug
    requires: tuple[Name, ...] = ()


class Operator(_Table, frozen=True, kw_only=True):
    """The operator that a submission in Python registers with torch, over a given kernel.

    Attributes:
        over: The CUDA problem with the model kernel; it runs on the simulator.
        namespace: The namespace of its operators.
    """

    over: ProblemId
    namespace: Slug


class Subtask(_Table, frozen=True, kw_only=True):
    """A part of a problem with its own points."""

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
    deny: Deny = Deny()
    tolerance: dict[str, Scalar] = {}
    native: Native | None = None
    cpp: Extension | None = None
    package: Package | None = None
    operator: Operator | None = None
    subtasks: tuple[Subtask, ...] = msgspec.field(default=(), name="subtask")

    def __post_init__(self) -> None:
        """Check that each kind has exactly its own build table."""
        tables = {
            Kind.CUDA: self.native,
            Kind.CPP: self.cpp,
            Kind.PACKAGE: self.package,
            Kind.OPERATOR: self.operator,
        }
        for kind, table in tables.items():
            if (self.entry.kind is kind) != (table is not None):
                name = "native" if kind is Kind.CUDA else kind.value
                raise ValueError(
                    f"only the kind `{kind}` needs `[{name}]`; got `{self.entry.kind}`"
                )

    @property
    def language(self) -> Language:
        """Return the language of a submission."""
        return self.entry.kind.language

    @property
    def is_built(self) -> bool:
        """Return whether a submission needs a build, of itself or of a kernel that it calls."""
        return self.language is not Language.PYTHON or self.operator is not None

    @property
    def has_own_processes(self) -> bool:
        """Return whether only processes of its own run a program: the reference process cannot."""
        return self.is_built or self.entry.kind in (Kind.DISTRIBUTED, Kind.SCRIPT, Kind.LOADER)

    @property
    def limits_imports(self) -> bool:
        """Return whether only listed modules and listed parts of PyTorch work in a submission."""
        return not self.has_own_processes and bool(self.deny.families or self.deny.functions)


class Rung(StrEnum):
    """The rungs of the hint ladder, from a nudge to the near-solution."""

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
        """Check both languages as ``Words`` does."""
        Words(en=self.en, zh=self.zh)


class HintFile(_Table, frozen=True, kw_only=True):
    """The content of ``hints.toml``."""

    hints: tuple[Hint, ...] = msgspec.field(name="hint")

    def __post_init__(self) -> None:
        """Check that the ladder has each rung once, in order."""
        came = [hint.rung.value for hint in self.hints]
        expected = [rung.value for rung in Rung]
        if came != expected:
            raise ValueError(f"the rungs must be {expected} in this order; got {came}")


class Followup(_Table, frozen=True, kw_only=True):
    """A follow-up question of an interviewer."""

    question: Words
    answer: Words


class Level(_Table, frozen=True, kw_only=True):
    """The description of a score."""

    score: Annotated[int, Meta(ge=0, le=3)]
    anchor: Words


class Rubric(_Table, frozen=True, kw_only=True):
    """The content of ``rubric.toml``."""

    minutes: Positive
    followups: Annotated[tuple[Followup, ...], Meta(min_length=1)] = msgspec.field(name="followup")
    levels: tuple[Level, ...] = msgspec.field(name="level")

    def __post_init__(self) -> None:
        """Check that the levels are 0, 1, 2, 3, in order."""
        came = [level.score for level in self.levels]
        if came != [0, 1, 2, 3]:
            raise ValueError(f"the levels must have the scores [0, 1, 2, 3]; got {came}")
