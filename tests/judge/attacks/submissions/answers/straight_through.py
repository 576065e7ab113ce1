# outcome: WA
# tries: right values with the gradient of the identity
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    y = (x - x.amax(dim, keepdim=True)).exp()
    y = y / y.sum(dim, keepdim=True)

    return y.detach() + (x - x.detach())
