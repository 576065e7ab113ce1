# outcome: WA
# tries: computed in half the precision
# groups: sample small
def softmax(x, dim=-1, dtype=None):
    wide, x = x.dtype, x.half()
    y = (x - x.amax(dim, keepdim=True)).exp()
    y = y / y.sum(dim, keepdim=True)

    return y.to(wide)
