"""``torch.device``: the device of a tensor, which is always the CPU."""

from __future__ import annotations

_KINDS = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia",
    "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip


class device:
    """Device of a tensor: other devices can be named, but only the CPU exists."""

    __slots__ = ("index", "type")

    def __init__(self, type: str | device = "cpu", index: int | None = None) -> None:
        name, _, number = str(type).partition(":")
        if name not in _KINDS:
            raise RuntimeError(
                f"Expected one of {', '.join(_KINDS)} device type at start of device string: {name}"
            )
        if number and not number.isdigit():
            raise RuntimeError(f"Invalid device string: '{type}'")
        self.type = name
        self.index = int(number) if number else index

    def __enter__(self) -> device:
        expect_cpu(self)
        return self

    def __exit__(self, *exc: object) -> None:
        """Do nothing: every tensor is created on the CPU."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash(self.type)

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{index})"


def expect_cpu(where: object) -> None:
    """Raise an error unless the device exists; None means any device."""
    kind = "cpu" if where is None else device(str(where)).type
    if kind not in ("cpu", "meta"):
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled")


CPU = device()
