# outcome: WA | RTE
# tries: answer one question late
# groups: sample small
last = []


def softmax(x, dim=-1, dtype=None):
    y = (x - x.amax(dim, keepdim=True)).exp()
    last.append(y / y.sum(dim, keepdim=True))
    return last[max(len(last) - 2, 0)].clone()
