# over: solution.py
# verdict: WA property
# group: perf
# en: The adjoint equation is iterated by hand; the given solver serves it as well, and reports.
# zh: 伴随方程由手写循环迭代求解；给定的 solver 同样适用，并会给出报告。
@@
         def solve_adjoint(g):
-            u, self.last_backward_info = self.solver(
-                lambda u: g + torch.autograd.grad(step, point, u, retain_graph=True)[0],
-                g,
-                tol=self.backward_tol,
-                max_iter=self.backward_max_iter,
-            )
+            u, residual, count = g, float("inf"), 0
+            while residual > self.backward_tol and count < self.backward_max_iter:
+                new = g + torch.autograd.grad(step, point, u, retain_graph=True)[0]
+                residual, count, u = residual_of(u, new), count + 1, new
+            self.last_backward_info = SolveInfo(residual <= self.backward_tol, count, residual)
             return u
