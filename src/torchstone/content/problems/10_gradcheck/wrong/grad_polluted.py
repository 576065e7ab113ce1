# over: good/one_working_copy.py
# verdict: WA property
# group: state
# en: backward() writes into .grad of the caller's leaves; use autograd.grad, or leaves of your own.
# zh: backward() 会写入调用者叶子的 .grad；用 autograd.grad，或自己的叶子。
@@
-        if min(x.stride(), default=1) == 0:
+        if any(s == 0 and n > 1 for s, n in zip(x.stride(), x.shape, strict=True)):
@@
-        return torch.zeros(sum(x.numel() for x in leaves)).double()
-    grads = torch.autograd.grad(y, leaves, v, retain_graph=True, allow_unused=True)
-    grads = [torch.zeros_like(x) if g is None else g for x, g in zip(leaves, grads, strict=True)]
+        return torch.zeros(sum(x.numel() for x in leaves), dtype=torch.float64)
+    for x in leaves:
+        x.grad = None
+    y.backward(v, retain_graph=True)
+    grads = [torch.zeros_like(x) if x.grad is None else x.grad for x in leaves]
@@
-    args = [own_copy(x) if i in checked else x for i, x in enumerate(inputs)]
-    leaves = [args[i] for i in checked]
-    outputs = floating(fn(*args))
+    leaves = [inputs[i] for i in checked]
+    outputs = floating(fn(*inputs))
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
