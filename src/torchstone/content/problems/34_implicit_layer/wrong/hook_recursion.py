# over: solution.py
# verdict: RTE
# group: sample
# en: The hook of y is called for its own VJP, again and again; differentiate a second copy of the
#   step, on a detached z.
# zh: 求 vjp 时又触发了 y 自己的 hook，无限递归；应对另一份、z 已 detach 的步骤求导。
@@
             )
+        z = z.detach().requires_grad_()
         y = self.cell(z, x)
@@
         """Let the gradient of y pass through the adjoint equation u = g + J^T u."""
-        # A second copy of the step, on a detached z: its VJP must not call the hook of y.
-        point = z.detach().clone().requires_grad_()
-        step = self.cell(point, x.detach())
-
         def solve_adjoint(g):
             u, self.last_backward_info = self.solver(
-                lambda u: g + torch.autograd.grad(step, point, u, retain_graph=True)[0],
+                lambda u: g + torch.autograd.grad(y, z, u, retain_graph=True)[0],
                 g,
