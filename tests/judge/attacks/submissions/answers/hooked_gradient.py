# outcome: WA
# tries: right values, and a hook that changes the gradient
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    y = (x - x.amax(dim, keepdim=True)).exp()
    y = y / y.sum(dim, keepdim=True)

    if y.requires_grad:
        y.register_hook(lambda grad: grad * 1.01)
    return y
