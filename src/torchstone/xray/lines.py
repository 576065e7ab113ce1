"""Lines of the user's own file: which one a call comes from."""

from __future__ import annotations

import sys
from types import CodeType, FrameType


class LineFinder:
    """Find the innermost line of a file on the stack.

    Args:
        file: The file, as its code objects name it; None for the innermost that is no library's.
        function: Only what this function of the file calls is wanted; None for all.
    """

    def __init__(self, file: str | None, function: str | None = None) -> None:
        self.file, self._function = file, function

    def line(self) -> int | None:
        """Return the line, or None if the file is not on the stack."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self._is_own(frame.f_code):
                return frame.f_lineno
            frame = frame.f_back
        return None

    def is_wanted(self) -> bool:
        """Return whether the function that is looked at is running."""
        if self._function is None:
            return True
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_name == self._function and self._is_own(frame.f_code):
                return True
            frame = frame.f_back
        return False

    def _is_own(self, code: CodeType) -> bool:
        if self.file is not None:
            return code.co_filename == self.file
        return not any(part in code.co_filename for part in ("/torch/", "/torchstone/", "<frozen"))
