# over: good/one_working_copy.py
# verdict: WA value
# group: planted
# en: Comparisons with NaN are False: ask whether all entries are within, not whether any is beyond.
# zh: 与 NaN 比较恒为假：应判断“全部在容差内”，而不是“存在超出容差的”。
@@
-        if min(x.stride(), default=1) == 0:
+        if any(s == 0 and n > 1 for s, n in zip(x.stride(), x.shape, strict=True)):
@@
-        return torch.zeros(sum(x.numel() for x in leaves)).double()
+        return torch.zeros(sum(x.numel() for x in leaves), dtype=torch.float64)
@@
-        for one_hot in torch.eye(y.numel()).to(y):
+        for one_hot in torch.eye(y.numel(), dtype=y.dtype):
@@
-        within = (a - n).abs() <= atol + rtol * n.abs()
-        if not (within & n.isfinite()).all():
+        if ((a - n).abs() > atol + rtol * n.abs()).any():
@@
-        # With |v| < 1 no row, each off by nondet_tol at most, counts more than once.
-        v = torch.randn_like(y).tanh()
-        got, terms = vjp(y, leaves, v), v.reshape(-1, 1) * a
-        allowed = 1e-6 * terms.abs().sum(0) + nondet_tol * len([got, *rows])
-        if not ((got - terms.sum(0)).abs() <= allowed).all():
+        v = torch.randn(y.shape, dtype=y.dtype)
+        terms = v.reshape(-1, 1) * a
+        allowed = 1e-6 * terms.abs().sum(0) + nondet_tol * (1 + v.abs().sum()) + 1e-12
+        if ((vjp(y, leaves, v) - terms.sum(0)).abs() > allowed).any():
