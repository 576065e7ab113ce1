"""``ServedInterviews``: interviews that a server holds open while somebody looks at their page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from time import monotonic

from torchstone.app.home import Home
from torchstone.app.interview import holding
from torchstone.app.interview.guiding import require_alone, require_conduct
from torchstone.app.interview.holding import PAGE, Kept, find_interview
from torchstone.app.interview.material import read_material
from torchstone.app.interview.reading import delete_interview, require_unheld
from torchstone.app.interview.running import Running
from torchstone.core.errors import BadInput
from torchstone.interview.draw import Setting

# A page asks every few seconds, a hidden one once a minute. Of one that was closed the clock stops.
LEASE_S = 90.0
_TICK_S = 0.5


@dataclass(kw_only=True)
class _Held:
    """One interview, what ends it, and when its page asked last.

    Attributes:
        lock: Held while something is done with it; to look at it needs no lock.
    """

    kept: Kept
    ending: ExitStack
    lock: threading.RLock = field(default_factory=threading.RLock)
    asked_at: float = field(default_factory=monotonic)


class ServedInterviews:
    """The interviews of one server; several threads may use it.

    Args:
        home: The learner's home.
        is_closing: Returns whether the server ends.
    """

    def __init__(self, home: Home, is_closing: Callable[[], bool]) -> None:
        self._home = home
        self._is_closing = is_closing
        self._held: dict[str, _Held] = {}
        self._lock = threading.RLock()
        self._watch: threading.Thread | None = None
        self._is_prepared = False

    def prepare(self) -> None:
        """Begin to read the bank, which takes seconds, while the reader still chooses."""
        if not self._is_prepared:
            self._is_prepared = True
            threading.Thread(target=lambda: read_material(self._home).pool, daemon=True).start()

    def begin(self, setting: Setting, *, label: str, lang: str) -> Kept:
        """Begin an interview, and ask the first item."""
        with ExitStack() as stack:
            kept = stack.enter_context(
                holding.begin(self._home, setting, held=PAGE, label=label, lang=lang)
            )
            kept.running.next()
            self._add(_Held(kept=kept, ending=stack.pop_all()))
        return kept

    def hold(self, name: str) -> Kept:
        """Hold an interview, taking it up where it was left; one that is held stays so.

        Raises:
            NotFound: There is no such interview.
            BadInput: Another process holds it.
        """
        return self._hold(name).kept

    @contextmanager
    def alone(self, name: str) -> Iterator[Kept]:
        """Do something in an interview that is held alone; one thing at a time."""
        with self._acting(name) as kept:
            require_alone(kept.running, kept.name)
            yield kept

    @contextmanager
    def led(self, name: str) -> Iterator[Kept]:
        """Do something in an interview that a person leads; one thing at a time."""
        with self._acting(name) as kept:
            require_conduct(kept.running, kept.name)
            yield kept

    @contextmanager
    def either(self, name: str) -> Iterator[Kept]:
        """Do something in an interview of either mode; one thing at a time."""
        with self._acting(name) as kept:
            yield kept

    def find(self, name: str) -> Kept | None:
        """Return an interview if it is held here, without prolonging that."""
        with self._lock:
            found = self._held.get(name)
        return found.kept if found else None

    def delete(self, name: str) -> None:
        """Delete an interview; one that is held here is left first.

        Raises:
            NotFound: There is no such interview.
            BadInput: Another process holds it.
        """
        with self._home.open_store() as store:
            name = find_interview(store, name).id
        with self._lock:
            self._leave(name)
            require_unheld(self._home, name)
            delete_interview(self._home, name)

    def close(self) -> None:
        """Leave all interviews in order: their clocks stop now."""
        with self._lock:
            for name in [*self._held]:
                self._leave(name)

    @contextmanager
    def _acting(self, name: str) -> Iterator[Kept]:
        held = self._hold(name)
        with held.lock:
            yield held.kept

    def _hold(self, name: str) -> _Held:
        with self._lock:
            found = self._held.get(name)
            if found is None:
                with ExitStack() as stack:
                    kept = stack.enter_context(holding.resume(self._home, name))
                    found = self._held.get(kept.name)
                    if found is None:
                        found = _Held(kept=kept, ending=stack.pop_all())
                        self._add(found)
            found.asked_at = monotonic()
            return found

    def _add(self, held: _Held) -> None:
        with self._lock:
            self._held[held.kept.name] = held
            if self._watch is None:
                self._watch = threading.Thread(target=self._look_after, daemon=True)
                self._watch.start()

    def _leave(self, name: str) -> None:
        held = self._held.pop(name, None)
        if held is not None:
            with held.lock:
                held.ending.close()

    def _look_after(self) -> None:
        """Leave the interviews whose page is gone, and all of them when the server ends."""
        tick = threading.Event()
        while not tick.wait(_TICK_S):
            if self._is_closing():
                self.close()
                return
            with self._lock:
                gone = [
                    name
                    for name, held in self._held.items()
                    if monotonic() - held.asked_at > LEASE_S
                ]
                for name in gone:
                    self._leave(name)


def require_item(running: Running, item: str) -> None:
    """Check that an item is open, so that an answer of another tab does not reach the next one.

    Raises:
        BadInput: Another one is open, or none.
    """
    current = running.session.current
    if current is None:
        raise BadInput("interview.nothing_asked", state=running.session.state)
    if current.item.id != item:
        raise BadInput("interview.other_item", item=item[:60], open=current.item.id)
