# over: solution.py
# verdict: RTE
# group: edge
# en: The gradient of a linear function has no graph; its derivative is zero, not an error.
# zh: 线性函数的梯度没有计算图，二阶导为零，而不是报错。
@@
     """Differentiate one number; what is not in its graph has the derivative zero."""
-    if not y.requires_grad:
-        return tuple(map(torch.zeros_like, xs))
     return torch.autograd.grad(
