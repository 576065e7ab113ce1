# verdict: FORBIDDEN_OP
# en: Has the package torchviz draw the graph.
# zh: 让 torchviz 包来画图。
import torchviz


def graph_of(outputs, names=None):
    source = torchviz.make_dot(outputs, params=dict(names or {})).source
    return {"roots": [], "nodes": [], "edges": [], "saved_bytes": len(source)}


def to_dot(graph):
    return "digraph {}"
