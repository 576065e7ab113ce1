# over: solution.py
# verdict: WA property
# group: perf
# en: The layer keeps all points that the solver has seen; only the fixed point is needed after
#   forward.
# zh: 该层保留了求解器见过的全部点；前向之后只需要不动点。
@@
         z0 = torch.zeros_like(x) if z0 is None else z0.detach()
+        self.trajectory = []
+
+        def f(z):
+            self.trajectory.append(z)
+            return self.cell(z, x)
+
         with torch.no_grad():
-            z, self.last_info = self.solver(
-                lambda z: self.cell(z, x), z0, tol=self.tol, max_iter=self.max_iter
-            )
+            z, self.last_info = self.solver(f, z0, tol=self.tol, max_iter=self.max_iter)
         y = self.cell(z, x)
