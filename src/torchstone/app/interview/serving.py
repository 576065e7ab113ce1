"""``ServedInterviews``: interviews that a server holds while their pages are open."""

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

# A page sends a request every few seconds, a hidden page once a minute. After a longer silence the
# clock of the interview stops.
LEASE_S = 90.0
_TICK_S = 0.5


@dataclass(kw_only=True)
class _Held:
    """Interview with its exit function, and the time of its page's last request.

    Attributes:
        lock: Held during operations on the interview; reading needs no lock.
    """

    kept: Kept
    ending: ExitStack
    lock: threading.RLock = field(default_factory=threading.RLock)
    asked_at: float = field(default_factory=monotonic)


class ServedInterviews:
    """Interviews of one server; thread-safe.

    Args:
        home: The learner's home.
        is_closing: Function that returns whether the server shuts down.
    """

    def __init__(self, home: Home, is_closing: Callable[[], bool]) -> None:
        self._home = home
        self._is_closing = is_closing
        self._held: dict[str, _Held] = {}
        self._lock = threading.RLock()
        self._watch: threading.Thread | None = None
        self._is_prepared = False

    def prepare(self) -> None:
        """Start to read the bank in the background, which takes seconds."""
        if not self._is_prepared:
            self._is_prepared = True
            threading.Thread(target=lambda: read_material(self._home).pool, daemon=True).start()

    def begin(self, setting: Setting, *, label: str, lang: str) -> Kept:
        """Start an interview, and ask the first item."""
        with ExitStack() as stack:
            kept = stack.enter_context(
                holding.begin(self._home, setting, held=PAGE, label=label, lang=lang)
            )
            kept.running.next()
            self._add(_Held(kept=kept, ending=stack.pop_all()))
        return kept

    def hold(self, name: str) -> Kept:
        """Hold an interview, resumed if necessary; an interview held here is kept.

        Raises:
            NotFound: There is no such interview.
            BadInput: Another process holds it.
        """
        return self._hold(name).kept

    @contextmanager
    def alone(self, name: str) -> Iterator[Kept]:
        """Execute an operation on an interview held alone, under its lock."""
        with self._acting(name) as kept:
            require_alone(kept.running, kept.name)
            yield kept

    @contextmanager
    def led(self, name: str) -> Iterator[Kept]:
        """Execute an operation on an interview that a person conducts, under its lock."""
        with self._acting(name) as kept:
            require_conduct(kept.running, kept.name)
            yield kept

    @contextmanager
    def either(self, name: str) -> Iterator[Kept]:
        """Execute an operation on an interview of either mode, under its lock."""
        with self._acting(name) as kept:
            yield kept

    def find(self, name: str) -> Kept | None:
        """Return an interview if it is held here, without extending its timeout."""
        with self._lock:
            found = self._held.get(name)
        return found.kept if found else None

    def delete(self, name: str) -> None:
        """Delete an interview; one that is held here is released first.

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
        """Release all interviews: their clocks stop."""
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
        """Release interviews without an active page, and all of them at shutdown."""
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
    """Check that an item is current, so that an answer from an outdated tab is not misattributed.

    Raises:
        BadInput: Another item is current, or none.
    """
    current = running.session.current
    if current is None:
        raise BadInput("interview.nothing_asked", state=running.session.state)
    if current.item.id != item:
        raise BadInput("interview.other_item", item=item[:60], open=current.item.id)
