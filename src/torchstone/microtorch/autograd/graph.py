"""Graph tools, as in ``torch.autograd.graph``, and drawing the autograd graph as SVG."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from torchstone.microtorch.autograd.hooks import save_on_cpu as save_on_cpu
from torchstone.microtorch.autograd.hooks import saved_tensors_hooks as saved_tensors_hooks
from torchstone.microtorch.autograd.node import AccumulateGrad
from torchstone.microtorch.autograd.node import Node as Node
from torchstone.microtorch.tensor import Tensor

# Size and spacing of the boxes, in pixels.
WIDTH, HEIGHT, GAP, STEP, MARGIN = 150, 40, 18, 78, 16
LEAF, OPERATION, INK, RULE = "#dbe9d8", "#f4efe4", "#3b362e", "#8a8172"


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Increment the version counter of one tensor or several, after a write by other means."""
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        each.bump_version()


def _nodes(root: Tensor) -> list[Node]:
    """Return the nodes of a tensor's graph, the most recent first."""
    start = root.grad_fn
    stack, seen = ([] if start is None else [start]), set[Node]()
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += _before(node)
    return sorted(seen, key=lambda node: node.order)


def _before(node: Node) -> list[Node]:
    return [each for each, _ in node.next_functions if each is not None]


def _words(node: Node, names: dict[str, Tensor] | None) -> tuple[str, str]:
    """Return the name of a node and the shape of its output."""
    shape = " × ".join(map(str, node.shape)) or "a number"
    if isinstance(node, AccumulateGrad):
        variable = node.variable
        return next((n for n, each in (names or {}).items() if each is variable), "leaf"), shape
    return node.name(), shape


def to_svg(root: Tensor, names: dict[str, Tensor] | None = None) -> str:
    """Draw the graph of a tensor as SVG, from its inputs on the left to the tensor on the right.

    Args:
        root: The tensor whose graph is drawn.
        names: Names of the leaves, for example ``dict(model.named_parameters())``.
    """
    nodes = _nodes(root)
    # The depth of a node is the length of the longest path from it to the root.
    depths = dict.fromkeys(nodes, 0)
    for node in nodes:
        for following in _before(node):
            depths[following] = max(depths[following], depths[node] + 1)
    deepest, rows = max(depths.values(), default=0), dict[int, int]()
    places: dict[Node, tuple[int, int]] = {}
    for node in nodes:
        depth = depths[node]
        row = rows[depth] = rows.get(depth, -1) + 1
        places[node] = (deepest - depth) * (WIDTH + STEP) + MARGIN, row * (HEIGHT + GAP) + MARGIN
    width = (deepest + 1) * (WIDTH + STEP) - STEP + 2 * MARGIN
    height = (max(rows.values(), default=0) + 1) * (HEIGHT + GAP) - GAP + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="monospace" font-size="11" fill="{INK}">',
        '<marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        f'<path d="M0 0 8 4 0 8z" fill="{RULE}"/></marker>',
    ]
    for node in nodes:
        parts += [_arrow(places[following], places[node]) for following in _before(node)]
    parts += [_box(node, places[node], names) for node in nodes]
    return "\n".join([*parts, "</svg>\n"])


def _arrow(begin: tuple[int, int], end: tuple[int, int]) -> str:
    x1, y1 = begin[0] + WIDTH, begin[1] + HEIGHT // 2
    x2, y2 = end[0], end[1] + HEIGHT // 2
    bend = (x2 - x1) // 2
    return (
        f'<path d="M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}" fill="none" '
        f'stroke="{RULE}" marker-end="url(#tip)"/>'
    )


def _box(node: Node, place: tuple[int, int], names: dict[str, Tensor] | None) -> str:
    x, y = place
    colour = LEAF if isinstance(node, AccumulateGrad) else OPERATION
    name, shape = map(escape, _words(node, names))
    middle = x + WIDTH // 2
    return (
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4" fill="{colour}" '
        f'stroke="{RULE}"/>'
        f'<text x="{middle}" y="{y + 17}" text-anchor="middle">{name}</text>'
        f'<text x="{middle}" y="{y + 32}" text-anchor="middle" fill="{RULE}">{shape}</text>'
    )
