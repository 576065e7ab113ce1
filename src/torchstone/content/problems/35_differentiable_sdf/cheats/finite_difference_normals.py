# over: solution.py
# verdict: WA value | WA property
# en: Central differences of f in place of its gradient.
# zh: 用 f 的中心差分代替梯度。
@@
-        return torch.autograd.grad(f(x).sum(), x, create_graph=create_graph)[0]
+        step = 1e-5 * torch.eye(3, dtype=x.dtype)
+        return torch.stack([(f(x + e) - f(x - e)) / 2e-5 for e in step], -1)
