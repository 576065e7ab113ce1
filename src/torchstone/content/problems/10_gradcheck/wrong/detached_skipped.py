# over: good/one_working_copy.py
# verdict: WA value
# group: planted
# en: An output without graph claims that its derivative is zero; that claim must be checked.
# zh: 没有计算图的输出等于声称导数为零；这个说法也要检验。
@@
-        if min(x.stride(), default=1) == 0:
+        if any(s == 0 and n > 1 for s, n in zip(x.stride(), x.shape, strict=True)):
@@
-        return torch.zeros(sum(x.numel() for x in leaves)).double()
+        return torch.zeros(sum(x.numel() for x in leaves), dtype=torch.float64)
@@
     for y, n in zip(outputs, numerical, strict=True):
+        if not y.requires_grad:
+            continue
@@
-        for one_hot in torch.eye(y.numel()).to(y):
+        for one_hot in torch.eye(y.numel(), dtype=y.dtype):
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
+        if not ((vjp(y, leaves, v) - terms.sum(0)).abs() <= allowed).all():
