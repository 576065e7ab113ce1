# over: solution.py
# verdict: WA property
# group: perf
# en: Backpropagation through the solver keeps every iteration, so memory grows with them; the
#   theorem needs only the fixed point.
# zh: 对迭代展开求导，内存随步数增长；隐函数定理只需不动点。
@@
     while calls < max_iter:
-        fz = f(z).detach()
+        fz = f(z)
         calls += 1
@@
         z0 = torch.zeros_like(x) if z0 is None else z0.detach()
-        with torch.no_grad():
-            z, self.last_info = self.solver(
-                lambda z: self.cell(z, x), z0, tol=self.tol, max_iter=self.max_iter
-            )
+        z, self.last_info = self.solver(
+            lambda z: self.cell(z, x), z0, tol=self.tol, max_iter=self.max_iter
+        )
         y = self.cell(z, x)
-        if y.requires_grad:
-            self._correct(y, z, x)
         return y
-
-    def _correct(self, y, z, x):
-        """Let the gradient of y pass through the adjoint equation u = g + J^T u."""
-        # A second copy of the step, on a detached z: its VJP must not call the hook of y.
-        point = z.detach().clone().requires_grad_()
-        step = self.cell(point, x.detach())
-
-        def solve_adjoint(g):
-            u, self.last_backward_info = self.solver(
-                lambda u: g + torch.autograd.grad(step, point, u, retain_graph=True)[0],
-                g,
-                tol=self.backward_tol,
-                max_iter=self.backward_max_iter,
-            )
-            return u
-
-        y.register_hook(solve_adjoint)
