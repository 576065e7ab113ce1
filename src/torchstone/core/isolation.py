"""Isolation levels of the sandbox, in comparable order."""

from enum import StrEnum


class Isolation(StrEnum):
    """The isolation levels, strongest first; a receipt states the level of its job."""

    FULL = "full"
    NAMESPACES = "namespaces"
    CONFINED = "confined"
    NONE = "none"

    def is_at_least(self, minimum: "Isolation") -> bool:
        """Return whether this level is at least as strong as ``minimum``.

        >>> Isolation.NAMESPACES.is_at_least(Isolation.CONFINED)
        True
        """
        return _RANK[self] <= _RANK[minimum]


_RANK = {level: rank for rank, level in enumerate(Isolation)}
