# outcome: WA
# tries: right values with a gradient of zero
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    y = (x - x.amax(dim, keepdim=True)).exp()
    y = y / y.sum(dim, keepdim=True)

    return y.detach().requires_grad_(x.requires_grad) * 1
