"""Programs that call a version of problem 49 with the scenes on which the judge counts."""

from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import Draw
from torchstone.judge.kit.problem import load_module

_HELPERS = """
#include <vector>

static std::vector<void*> allocated;
template <typename T>
T* of_size(size_t num_bytes, const T* values = nullptr) {
    void* memory;
    cudaMalloc(&memory, num_bytes);
    allocated.push_back(memory);
    if (values) cudaMemcpy(memory, values, num_bytes, cudaMemcpyHostToDevice);
    return static_cast<T*>(memory);
}
#define UP(array) of_size(sizeof array, array)
#define NEW(type, count) of_size<type>((count) * sizeof(type))
"""


def scene_of(folder: Path, group: str, index: int) -> dict[str, Any]:
    """Return what the functions of the problem are called with in a case; the seed is fixed."""
    cases = load_module(folder / "cases.py")
    params = cases.plan(group, Draw(49))[index]
    values: dict[str, Any] = cases.build(group, params, Draw(4949)).steps[0].data["values"]
    return values


def forward_of(scene: dict[str, Any]) -> str:
    """Write a main that composites a scene."""
    count, width, height = scene["N"], scene["W"], scene["H"]
    inputs = ", ".join(
        f"UP({name})" for name in ("xy", "depth", "conic", "radius", "opacity", "color", "bg")
    )
    return _program(
        scene,
        f"gs_forward({inputs}, {count}, {width}, {height}, NEW(float, {3 * width * height}), "
        f"NEW(float, {width * height}), NEW(int, {width * height}), NEW(int, {count}), 0)",
    )


def backward_of(scene: dict[str, Any]) -> str:
    """Write a main that computes the gradients of a scene."""
    count, width, height = scene["N"], scene["W"], scene["H"]
    names = ("grad_image", "xy", "conic", "radius", "opacity", "color", "bg", "order")
    inputs = ", ".join(f"UP({name})" for name in (*names, "final_T", "n_last"))
    outputs = ", ".join(f"NEW(float, {size * count})" for size in (2, 3, 1, 3))
    return _program(scene, f"gs_backward({inputs}, {count}, {width}, {height}, {outputs}, 0)")


def _program(scene: dict[str, Any], call: str) -> str:
    arrays = [
        _array(name, value) for name, value in scene.items() if isinstance(value, torch.Tensor)
    ]
    free = "    for (void* memory : allocated) cudaFree(memory);\n"
    main = f"int main() {{\n    const auto error = {call};\n{free}    return error;\n}}\n"
    return "\n".join([_HELPERS, *arrays, main])


def _array(name: str, values: torch.Tensor) -> str:
    flat = values.reshape(-1).tolist()
    if values.dtype == torch.int32:
        return f"static const int {name}[] = {{{', '.join(map(str, flat))}}};"
    # Five digits do: what is counted depends on them as little as on another scene's.
    return f"static const float {name}[] = {{{', '.join(f'{each:.4e}f' for each in flat)}}};"
