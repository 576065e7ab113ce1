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
from torchstone.core import paths
from torchstone.core.config import Settings, load_settings
from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.host.client import Client

if TYPE_CHECKING:
    from torchstone.store import Store

BANK_VARIABLE = "TORCHSTONE_BANK"


@dataclass(frozen=True, kw_only=True)
class Home:
    """The places and settings of one learner on this machine.

    Attributes:
        bank_root: The folder that holds ``problems/``; the bank that ships by default.
        settings: What the learner decided.
        kept_store: The store that stays open, see ``keep_store``.
    """

    bank_root: Path = CONTENT
    settings: Settings = field(default_factory=Settings)
    kept_store: Store | None = field(default=None, repr=False, compare=False)

    @cached_property
    def bank(self) -> Bank:
        """Load the bank, once."""
        return load_bank(self.bank_root)

    def problem(self, name: str) -> Problem:
        """Find a problem by its number or its name."""
        return self.bank.get(name)

    @property
    def workspace(self) -> Path:
        """Return the folder in which solutions are written; it is made at the first use."""
        return paths.workspace_dir()

    def open_store(self) -> AbstractContextManager[Store]:
        """Open the database of the data folder for a ``with`` block."""
        if self.kept_store is not None:
            return nullcontext(self.kept_store)
        # Its import takes a third of a second, and judging a file on the side needs none of it.
        from torchstone.store import open_store

        return open_store()

    @contextmanager
    def keep_store(self) -> Iterator[Home]:
        """Return a home of the same learner whose store stays open until the block ends.

        For a process that lives long: to open the store takes several times as long as to ask it.
        All threads may share the home.
        """
        with self.open_store() as store:
            yield replace(self, kept_store=store)

    def client(self) -> Client:
        """Return the line to the judge host of the data folder."""
        return Client(
            data=paths.data_dir(),
            bank_root=self.bank_root,
            workers=self.settings.workers or None,
            idle_s=60.0 * self.settings.idle_minutes,
        )

    def require_isolation(self, client: Client) -> None:
        """Refuse to run anything below the isolation that the settings demand.

        Raises:
            JudgeUnavailable: This machine does not reach the level.
        """
        wanted = self.settings.isolation
        if wanted is Isolation.NONE:
            return
        status = client.status(start=True, wait=True)
        level = Isolation.NONE if status is None else status.isolation
        if not level.is_at_least(wanted):
            raise JudgeUnavailable("app.isolation_too_low", level=level, wanted=wanted)


def find_home(environ: Mapping[str, str] | None = None) -> Home:
    """Read the settings and the bank's place from the environment."""
    variables = os.environ if environ is None else environ
    chosen = variables.get(BANK_VARIABLE, "")
    root = Path(chosen).expanduser().resolve() if chosen else CONTENT
    return Home(bank_root=root, settings=load_settings(environ=variables))
