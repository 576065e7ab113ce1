# over: good/one_working_copy.py
# verdict: WA value
# group: planted
# en: None says that the gradient is zero; compare it with the numerical value.
# zh: None 表示梯度为零，也要与数值结果比较。
@@
-        if min(x.stride(), default=1) == 0:
+        if any(s == 0 and n > 1 for s, n in zip(x.stride(), x.shape, strict=True)):
@@
-        return torch.zeros(sum(x.numel() for x in leaves)).double()
+        return torch.zeros(sum(x.numel() for x in leaves), dtype=torch.float64)
@@
-    grads = [torch.zeros_like(x) if g is None else g for x, g in zip(leaves, grads, strict=True)]
+    nothing = float("nan")
+    grads = [
+        torch.full_like(x, nothing) if g is None else g for x, g in zip(leaves, grads, strict=True)
+    ]
     return torch.cat([g.detach().reshape(-1) for g in grads])
+
+
+def used_columns(y, leaves):
+    if not y.requires_grad:
+        return slice(None)
+    grads = torch.autograd.grad(y.sum(), leaves, retain_graph=True, allow_unused=True)
+    return torch.cat(
+        [torch.full((x.numel(),), g is not None) for x, g in zip(leaves, grads, strict=True)]
+    )
@@
-        for one_hot in torch.eye(y.numel()).to(y):
+        for one_hot in torch.eye(y.numel(), dtype=y.dtype):
@@
         a = torch.stack(rows) if rows else n
+        used = used_columns(y, leaves)
+        a, n = a[:, used], n[:, used]
@@
-        if not (within & n.isfinite()).all():
+        if not (within & a.isfinite() & n.isfinite()).all():
@@
-        # With |v| < 1 no row, each off by nondet_tol at most, counts more than once.
-        v = torch.randn_like(y).tanh()
-        got, terms = vjp(y, leaves, v), v.reshape(-1, 1) * a
-        allowed = 1e-6 * terms.abs().sum(0) + nondet_tol * len([got, *rows])
-        if not ((got - terms.sum(0)).abs() <= allowed).all():
+        v = torch.randn(y.shape, dtype=y.dtype)
+        terms = v.reshape(-1, 1) * a
+        allowed = 1e-6 * terms.abs().sum(0) + nondet_tol * (1 + v.abs().sum()) + 1e-12
+        if not ((vjp(y, leaves, v)[used] - terms.sum(0)).abs() <= allowed).all():
