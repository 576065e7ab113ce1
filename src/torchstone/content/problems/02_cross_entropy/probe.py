"""Observe what a call of `cross_entropy` leaves behind: its graph and its saved tensors."""

import torch


def probe(submission, op, data, tools):
    """Answer the requests of the group "grad" that an ordinary call cannot express."""
    logits, target, options = data["logits"], data["target"], data["options"]
    if op == "graph":
        return _graph(submission, logits.requires_grad_(), target, options)
    if op == "in_place":
        loss = submission.cross_entropy(logits.requires_grad_(), target, **options)
        with torch.no_grad():
            logits.mul_(-0.5).add_(1)
        return {"grad": tools.plain(tools.vjp([loss], [logits], [data["cotangent"]])[0])}
    if op == "interleaved":
        pair = [logits.requires_grad_(), data["other"].requires_grad_()]
        losses = [submission.cross_entropy(x, target, **options) for x in pair]
        found = [
            tools.vjp([y], [x], [data["cotangent"]])[0] for x, y in zip(pair, losses, strict=True)
        ]
        return {"grad.first": tools.plain(found[0]), "grad.second": tools.plain(found[1])}
    return _no_grad(submission, logits, target, options, tools)


def _graph(submission, logits, target, options):
    loss = submission.cross_entropy(logits, target, **options)
    node = loss.grad_fn
    function = submission.CrossEntropy
    is_function = isinstance(function, type) and issubclass(function, torch.autograd.Function)
    edges = [edge for edge, _ in node.next_functions if edge is not None] if node else []
    leaves = [getattr(edge, "variable", None) is logits for edge in edges]
    return {
        "node": type(node).__name__,
        "is_own": is_function and getattr(type(node), "_forward_cls", None) is function,
        "num_edges": len(edges),
        "ends_at_logits": all(leaves),
    }


def _no_grad(submission, logits, target, options, tools):
    plain = submission.cross_entropy(logits, target, **options)
    with torch.no_grad():
        silent = submission.cross_entropy(logits.requires_grad_(), target, **options)
    return {
        "out": tools.plain(plain),
        "requires_grad": plain.requires_grad,
        "requires_grad.no_grad": silent.requires_grad,
    }
