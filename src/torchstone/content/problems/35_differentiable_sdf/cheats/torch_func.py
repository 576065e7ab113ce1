# over: solution.py
# verdict: FORBIDDEN_OP
# en: torch.func differentiates the field.
# zh: 用 torch.func 对场求导。
@@
-from torch import Tensor
+from torch import Tensor, func
@@
-        return torch.autograd.grad(f(x).sum(), x, create_graph=create_graph)[0]
+        return func.grad(lambda q: f(q).sum())(x)
