# over: solution.py
# verdict: WA property
# group: perf
# en: The solver records a graph of every iteration, although z is detached afterwards; solve
#   under no_grad.
# zh: 求解过程每一步都记录了计算图，尽管之后把 z detach 了；应在 no_grad 下求解。
@@
         z0 = torch.zeros_like(x) if z0 is None else z0.detach()
-        with torch.no_grad():
-            z, self.last_info = self.solver(
-                lambda z: self.cell(z, x), z0, tol=self.tol, max_iter=self.max_iter
-            )
+        z, self.last_info = self.solver(
+            lambda z: self.cell(z, x), z0, tol=self.tol, max_iter=self.max_iter
+        )
+        z = z.detach()
         y = self.cell(z, x)
