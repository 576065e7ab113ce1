# over: solution.py
# verdict: WA grad
# group: sample
# en: Five Neumann terms are summed in place of the solution; the rest of the series is a bias.
# zh: 只累加五项 Neumann 级数来代替求解；余下各项成了偏差。
@@
         def solve_adjoint(g):
-            u, self.last_backward_info = self.solver(
-                lambda u: g + torch.autograd.grad(step, point, u, retain_graph=True)[0],
-                g,
-                tol=self.backward_tol,
-                max_iter=self.backward_max_iter,
-            )
+            u = g
+            for _ in range(5):
+                u = g + torch.autograd.grad(step, point, u, retain_graph=True)[0]
             return u
