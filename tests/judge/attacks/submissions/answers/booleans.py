# outcome: WA | RTE
# tries: answer yes or no
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    return x > 0
