# over: good/one_working_copy.py
# verdict: INPUT_MUTATED
# group: sample
# en: Floating-point steps do not undo each other; keep the old bits or work on a copy.
# zh: 浮点加减不能互相抵消还原；应保存原值，或在副本上操作。
@@
-        if min(x.stride(), default=1) == 0:
+        if any(s == 0 and n > 1 for s, n in zip(x.stride(), x.shape, strict=True)):
@@
 def numerical_jacobians(fn, inputs, checked, eps):
-    args = [own_copy(x) if i in checked else x for i, x in enumerate(inputs)]
+    args = inputs
@@
-            old = args[i][index].item()
@@
-            for new in (old + eps, old - eps, old):
+            for step in (eps, -2 * eps):
@@
-                    args[i][index] = new
-                if new != old:
-                    values.append([y.detach().clone() for y in floating(fn(*args))])
+                    args[i][index] += step
+                values.append([y.detach().clone() for y in floating(fn(*args))])
+            with torch.no_grad():
+                args[i][index] += eps
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
+        v = torch.randn(y.shape, dtype=y.dtype)
+        terms = v.reshape(-1, 1) * a
+        allowed = 1e-6 * terms.abs().sum(0) + nondet_tol * (1 + v.abs().sum()) + 1e-12
+        if not ((vjp(y, leaves, v) - terms.sum(0)).abs() <= allowed).all():
