# verdict: WA value
# en: Returns the graph of the example, whatever it is asked.
# zh: 不管问什么，都返回示例的那张图。
import torch

GRAPH = {
    "roots": [[3, 0]],
    "nodes": [
        {
            "id": number,
            "name": name,
            "kind": "op" if number else "leaf",
            "label": None if number else "x",
            "outputs": [{"shape": [2, 3], "dtype": "float32"}],
            "saved": [],
        }
        for number, name in enumerate(
            ["torch::autograd::AccumulateGrad", "ExpBackward0", "SinBackward0", "AddBackward0"]
        )
    ],
    "edges": [
        {"src": 0, "dst": 1, "output_nr": 0, "slot": 0},
        {"src": 0, "dst": 2, "output_nr": 0, "slot": 0},
        {"src": 1, "dst": 3, "output_nr": 0, "slot": 0},
        {"src": 2, "dst": 3, "output_nr": 0, "slot": 1},
    ],
    "saved_bytes": 48,
}


def graph_of(outputs, names=None):
    if not isinstance(outputs, (torch.Tensor, list, tuple)):
        raise TypeError
    return GRAPH


def to_dot(graph):
    lines = ["digraph {"]
    for node in graph["nodes"]:
        lines.append(f'n{node["id"]} [label="{node["name"]}"];')
    return "\n".join([*lines, "}"])
