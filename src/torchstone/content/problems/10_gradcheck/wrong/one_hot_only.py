# over: good/one_working_copy.py
# verdict: WA value
# group: planted
# en: g, |g| and g * g agree on one-hot vectors; add a random cotangent.
# zh: 独热向量区分不出 g、|g| 与 g * g；要再用一个随机余切向量。
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
-        if not (within & n.isfinite()).all():
+        if not (within & a.isfinite() & n.isfinite()).all():
@@
-        # With |v| < 1 no row, each off by nondet_tol at most, counts more than once.
-        v = torch.randn_like(y).tanh()
-        got, terms = vjp(y, leaves, v), v.reshape(-1, 1) * a
-        allowed = 1e-6 * terms.abs().sum(0) + nondet_tol * len([got, *rows])
-        if not ((got - terms.sum(0)).abs() <= allowed).all():
-            return "backward is not linear in its cotangent"
