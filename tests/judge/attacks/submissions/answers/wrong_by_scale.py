# outcome: WA
# tries: right for small numbers only
# groups: sample small scale
def softmax(x, dim=-1, dtype=None):
    return x.exp() / x.exp().sum(dim, keepdim=True)
