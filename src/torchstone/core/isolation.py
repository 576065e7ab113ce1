"""Isolation levels of the sandbox, in an order that can be compared."""

from enum import StrEnum


class Isolation(StrEnum):
    """The isolation levels, strongest first; receipts state the one a job ran at."""

    FULL = "full"
    NAMESPACES = "namespaces"
    CONFINED = "confined"
    NONE = "none"

    def is_at_least(self, minimum: "Isolation") -> bool:
        """Return whether this level is as strong as ``minimum``.

        >>> Isolation.NAMESPACES.is_at_least(Isolation.CONFINED)
        True
        """
        return _RANK[self] <= _RANK[minimum]


_RANK = {level: rank for rank, level in enumerate(Isolation)}
