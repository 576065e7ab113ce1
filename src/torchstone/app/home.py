"""``Home``: the bank, data, workspace and judge connection of one learner."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from torchstone.bank import CONTENT, Bank, Problem, load_bank
from torchstone.bank.paths import LearningPath, load_paths, present_paths
from torchstone.bank.questions import QuestionBank, load_questions
from torchstone.core import paths
from torchstone.core.config import Settings, load_settings
from torchstone.core.errors import JudgeUnavailable, NotFound
from torchstone.core.isolation import Isolation
from torchstone.judge.host.client import Client

if TYPE_CHECKING:
    from torchstone.store import Store

BANK_VARIABLE = "TORCHSTONE_BANK"


@dataclass(frozen=True, kw_only=True)
class Home:
    """The folders and settings of one learner on this machine.

    Attributes:
        bank_root: The folder with ``problems/``; the bank of the package by default.
        settings: The learner's settings.
        kept_store: The store that stays open, see ``keep_store``.
    """

    bank_root: Path = CONTENT
    settings: Settings = field(default_factory=Settings)
    kept_store: Store | None = field(default=None, repr=False, compare=False)

    @cached_property
    def bank(self) -> Bank:
        """Load the bank, once; model programs are read when they are used."""
        return load_bank(self.bank_root, is_whole=False)

    @cached_property
    def questions(self) -> QuestionBank:
        """Return the question bank; each topic is read on first use."""
        return load_questions(self.bank_root)

    @cached_property
    def paths(self) -> tuple[LearningPath, ...]:
        """Return the paths over the problems of the bank."""
        return present_paths(load_paths(self.bank_root), {problem.id for problem in self.bank})

    def find_path(self, path_id: str | None) -> LearningPath | None:
        """Find a path by its id; None if absent, as after an import from another bank."""
        return next((path for path in self.paths if path.id == path_id), None)

    def require_path(self, path_id: str) -> LearningPath:
        """Find a path by its id.

        Raises:
            NotFound: The bank has no such path.
        """
        found = self.find_path(path_id)
        if found is None:
            known = ", ".join(path.id for path in self.paths)
            raise NotFound("app.path_unknown", path=path_id, known=known)
        return found

    def problem(self, name: str) -> Problem:
        """Find a problem by its number or its name."""
        return self.bank.get(name)

    @property
    def workspace(self) -> Path:
        """Return the folder of the solutions; the first call creates it."""
        return paths.workspace_dir()

    def open_store(self) -> AbstractContextManager[Store]:
        """Open the database of the data folder for a ``with`` block."""
        if self.kept_store is not None:
            return nullcontext(self.kept_store)
        # Its import takes a third of a second; a trial run of a file does not need it.
        from torchstone.store import open_store

        return open_store()

    @contextmanager
    def keep_store(self) -> Iterator[Home]:
        """Yield a home of the same learner whose store stays open until the block ends.

        For a long-lived process: opening the store takes several times as long as a query. Several
        threads can share the home.
        """
        with self.open_store() as store:
            yield replace(self, kept_store=store)

    def client(self) -> Client:
        """Return the client of the data folder's judge host."""
        return Client(
            data=paths.data_dir(),
            bank_root=self.bank_root,
            workers=self.settings.workers or None,
            idle_s=60.0 * self.settings.idle_minutes,
        )

    def require_isolation(self, client: Client) -> None:
        """Check that the judge reaches the isolation level of the settings.

        Raises:
            JudgeUnavailable: This machine does not reach the level.
        """
        required = self.settings.isolation
        if required is Isolation.NONE:
            return
        status = client.status(start=True, wait=True)
        level = Isolation.NONE if status is None else status.isolation
        if not level.is_at_least(required):
            raise JudgeUnavailable("app.isolation_too_low", level=level, required=required)


def find_home(environ: Mapping[str, str] | None = None) -> Home:
    """Read the settings and the folder of the bank from the environment."""
    variables = os.environ if environ is None else environ
    chosen = variables.get(BANK_VARIABLE, "")
    root = Path(chosen).expanduser().resolve() if chosen else CONTENT
    return Home(bank_root=root, settings=load_settings(environ=variables))
