"""Name the dictionaries that travel over ``wire`` between the host and its sandboxed processes.

Standard library only: the process of a submission imports this, and so does the host, which never
imports torch. All of them are plain dictionaries at run time. What a submission sends has these
types only after it was checked.
"""

from __future__ import annotations

from typing import Any, TypeAlias

# The parameters of a case, as ``plan`` in ``cases.py`` draws them; every problem has its own.
Params: TypeAlias = dict[str, Any]
