# over: good/one_working_copy.py
# verdict: WA property
# group: state
# en: One forward with retain_graph serves every row; do not call fn for each of them.
# zh: 一次前向配合 retain_graph 就能得到所有行；不要为每一行再调用 fn。
@@
-        if min(x.stride(), default=1) == 0:
+        if any(s == 0 and n > 1 for s, n in zip(x.stride(), x.shape, strict=True)):
@@
-        return torch.zeros(sum(x.numel() for x in leaves)).double()
+        return torch.zeros(sum(x.numel() for x in leaves), dtype=torch.float64)
@@
-    outputs = floating(fn(*args))
-    for y, n in zip(outputs, numerical, strict=True):
+    for k, n in enumerate(numerical):
+        y = floating(fn(*args))[k]
@@
-        for one_hot in torch.eye(y.numel()).to(y):
+        for one_hot in torch.eye(y.numel(), dtype=y.dtype):
+            y = floating(fn(*args))[k]
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
