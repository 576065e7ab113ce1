"""Description of a function that a submission can call without reading its coefficients."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from torchstone.judge.child.protocol.encryption import Encrypted


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueFunction:
    """Function y = b + W [z, z^2, z^3] of concatenated inputs z, and the VJP that it claims.

    The VJP of a cotangent g is ``shift + J(z)^T bend(g)`` plus noise, with the Jacobian of the
    claimed coefficients. ``native/opaque_function.h`` computes both.

    Attributes:
        bias: b, of shape [m].
        weights: The coefficients of z, z^2 and z^3, each of shape [m, n].
        claims: The coefficients that the VJP uses in their place.
        bends: The factors of 1, g, abs(g), g^2 and g^3 in bend(g); g alone is correct.
        shift: Added to the VJP, of shape [n].
        noise: Scale of the random numbers that are added for each output whose cotangent is not
            zero, of shape [m].
        stretch: Factor of the VJP if an input is not contiguous.
        given: Whether each input gets a gradient.
        shapes: The shape of each output.
        attached: Whether each output has a graph.
        listed: Whether the outputs are a list; otherwise they are a tuple, or one tensor.
        seed: The seed of the noise.
    """

    bias: torch.Tensor
    weights: Sequence[torch.Tensor]
    claims: Sequence[torch.Tensor]
    bends: Sequence[float]
    shift: torch.Tensor
    noise: torch.Tensor
    stretch: float
    given: Sequence[bool]
    shapes: Sequence[Sequence[int]]
    attached: Sequence[bool]
    listed: bool
    seed: int

    def encrypted(self) -> Encrypted:
        """Return the encrypted form for a request, an argument of ``tools.opaque_function``."""
        counts = [len(self.shift), len(self.bias), self.seed, self.listed]
        counts += [len(self.given), *self.given, len(self.attached), *self.attached]
        for shape in self.shapes:
            counts += [len(shape), *shape]
        tensors = [self.bias, *self.weights, *self.claims, torch.tensor(self.bends), self.shift]
        tensors += [self.noise, torch.tensor([self.stretch])]
        numbers = [number for tensor in tensors for number in tensor.double().flatten().tolist()]
        return Encrypted(struct.pack(f"<{len(counts)}q{len(numbers)}d", *counts, *numbers))
