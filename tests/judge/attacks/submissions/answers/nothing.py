# outcome: WA | RTE
# tries: answer nothing
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    return None
