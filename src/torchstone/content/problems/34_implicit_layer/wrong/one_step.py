# over: solution.py
# verdict: WA grad
# group: sample
# en: The gradient of the last step alone is the first Neumann term of (I - J^T)^-1.
# zh: 只对最后一步求导，得到的只是 (I - J^T)^-1 的 Neumann 级数第一项。
@@
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
