"""``Store``: all sections over one database."""

from types import TracebackType
from typing import Self, final

from torchstone.store.progress import ProgressSection
from torchstone.store.reviews import Reviews
from torchstone.store.submissions import Submissions
from torchstone.store.transfer import Transfer


@final
class Store(Submissions, ProgressSection, Reviews, Transfer):
    """Everything a learner did; safe for several threads and several processes at once.

    Made by ``open_store``. A method that writes has its words on the disk when it returns.
    """

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        """Return the store to a ``with`` block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go of the database at the end of a ``with`` block."""
        self.close()
