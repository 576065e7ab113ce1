"""Acts of a script: what is done with it and with its folders, one after the other.

The leader performs them; it runs no code of the submission. A request has ``script``, a list of
acts. Those of `folder.ACTS` change a folder between two starts; what starts a submission is
performed by `series` and `launches`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from typing import Any

from . import folder, stream
from .records import Answer, Arguments

# Performs an act, and returns whether the next one makes sense.
Perform = Callable[[Arguments, socket.socket, stream.Inbox], bool]


class Acts:
    """Perform the acts of one request, and collect what is found.

    Attributes:
        is_plain: Whether the request names no acts, as the learner's own input does.
        performs: What performs an act that starts something, by the name of the act.
        folders: The names of the folders that the acts are about.
        found: The answer.
    """

    def __init__(self, request: Arguments) -> None:
        script = request["data"].pop("script", None)
        self.is_plain = script is None
        self.acts: list[Arguments] = [{"do": "run", "in": "a"}] if script is None else script
        self.performs: Mapping[str, Perform] = {}
        self.folders: set[str] = set()
        self.found: Answer = {}
        self._has_moved, self._num_still = True, 0

    def answer(self, host: socket.socket, inbox: stream.Inbox) -> Answer:
        """Perform all acts, and leave nothing of them."""
        try:
            for act in self.acts:
                self.folders |= {act[key] for key in ("in", "to") if key in act}
                perform: Any = self.performs.get(act["do"])
                if perform is None:
                    folder.ACTS[act["do"]](act)
                elif not perform(act, host, inbox):
                    break
        finally:
            self.end()
            folder.clear()
        return self.found

    def end(self) -> None:
        """End what the acts have started."""

    def moves(self) -> None:
        """Take note that a process has sent something."""
        self._has_moved = True

    def stands_still(self, patience: int = 1) -> bool:
        """Take note that no thread runs; return whether that is so often since something came."""
        self._num_still = 0 if self._has_moved else self._num_still + 1
        self._has_moved = False
        return self._num_still >= patience
