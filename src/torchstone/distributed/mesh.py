"""``Mesh``: the ranks of a run as a grid with named axes, currently one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torchstone.distributed.refusal import Refusal

AXIS = "dp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """Number of ranks along each axis.

    Attributes:
        dp: The data-parallel ranks: copies of the model that process different samples.
    """

    dp: int = 1

    @classmethod
    def of(cls, sizes: Mapping[str, int] | None, world_size: int) -> Mesh:
        """Return the mesh of a world.

        Args:
            sizes: The number of ranks by axis; by default ``dp`` has all of them.
            world_size: The number of ranks.

        Raises:
            Refusal: An axis is unknown, or the sizes do not match the number of ranks.
        """
        given = {AXIS: world_size} | dict(sizes or {})
        for name, size in given.items():
            require_axis(name)
            if size != world_size:
                raise Refusal("mesh_size", name=name, came=size, wanted=world_size)
        return cls(**given)


def require_axis(name: str) -> None:
    """Raise an error for an unknown axis name.

    Raises:
        Refusal: There is no such axis.
    """
    if name != AXIS:
        raise Refusal("mesh_axis", came=name, wanted=(AXIS,))
