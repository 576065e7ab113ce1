# outcome: WA | RTE
# tries: answer in Python's own types
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    return x.tolist()
