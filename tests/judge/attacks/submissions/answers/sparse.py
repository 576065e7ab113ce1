# outcome: WA | RTE
# tries: answer in a sparse tensor
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    return x.to_sparse()
