"""Acts: the steps of a script request, such as starting the script or changing its folders.

The leader performs the acts in order and runs no code of the submission. A request has ``script``,
a list of acts. `folder.ACTS` are the acts that change a folder between two starts; `series` and
`launches` perform the acts that start a submission.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from typing import Any

from ..protocol import stream
from ..protocol.records import Answer, Arguments
from . import folder

# Performs an act; returns False if the remaining acts are to be skipped.
Perform = Callable[[Arguments, socket.socket, stream.Inbox], bool]


class Acts:
    """Performer of the acts of one request.

    Attributes:
        is_plain: Whether the request has no acts, as for the learner's own input.
        performs: Maps the name of an act that starts something to its implementation.
        folders: Names of the folders that the acts mention.
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
        """Perform all acts, then end what they started and remove their folders."""
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
        """End the processes that the acts have started."""

    def moves(self) -> None:
        """Record that a process has sent something."""
        self._has_moved = True

    def stands_still(self, patience: int = 1) -> bool:
        """Count one idle reading; return whether ``patience`` readings in a row were idle."""
        self._num_still = 0 if self._has_moved else self._num_still + 1
        self._has_moved = False
        return self._num_still >= patience
