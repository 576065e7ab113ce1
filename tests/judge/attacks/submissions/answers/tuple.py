# outcome: WA | RTE
# tries: answer too much
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    return (x.exp(), x)
