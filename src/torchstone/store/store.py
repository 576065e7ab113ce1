"""``Store``: all sections over one database."""

from types import TracebackType
from typing import Self, final

from torchstone.store.chapters import Chapters
from torchstone.store.choices import Choices
from torchstone.store.damage import Damages
from torchstone.store.inputs import Inputs
from torchstone.store.interviews import Interviews
from torchstone.store.reviews import Reviews
from torchstone.store.submissions import Submissions
from torchstone.store.transfer import Transfer


@final
class Store(Submissions, Choices, Chapters, Inputs, Interviews, Reviews, Transfer, Damages):
    """All progress of a learner; safe for several threads and several processes at once.

    ``open_store`` creates it. When a method that writes returns, its data is on the disk.
    """

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the database."""
        self.close()
