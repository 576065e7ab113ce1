# verdict: FORBIDDEN_OP
# en: Imports torch.fx, whose graph is that of a program and not of what ran.
# zh: 导入 torch.fx：它的图是程序的图，不是实际运行的图。
def graph_of(outputs, names=None):
    from torch.fx import symbolic_trace

    graph = symbolic_trace(lambda x: x.exp() + x.sin()).graph
    nodes = [{"id": i, "name": str(node)} for i, node in enumerate(graph.nodes)]
    return {"roots": [[0, 0]], "nodes": nodes, "edges": [], "saved_bytes": 0}


def to_dot(graph):
    return "digraph {}"
