# outcome: WA | RTE
# tries: answer the input itself
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    return x
