# over: solution.py
# verdict: WA property
# en: The unrolled graph is hidden in a list inside a Function.
# zh: 把展开的计算图藏在 Function 内部的列表里。
@@
         with torch.no_grad():
-            z, self.last_info = self.solver(
+            _, self.last_info = self.solver(
                 lambda z: self.cell(z, x), z0, tol=self.tol, max_iter=self.max_iter
             )
-        y = self.cell(z, x)
-        if y.requires_grad:
-            self._correct(y, z, x)
-        return y
+        steps = self.last_info.num_iterations
+        return Hidden.apply(self.cell, steps, z0, x, *self.cell.parameters())
 
-    def _correct(self, y, z, x):
-        """Let the gradient of y pass through the adjoint equation u = g + J^T u."""
-        # A second copy of the step, on a detached z: its VJP must not call the hook of y.
-        point = z.detach().clone().requires_grad_()
-        step = self.cell(point, x.detach())
 
-        def solve_adjoint(g):
-            u, self.last_backward_info = self.solver(
-                lambda u: g + torch.autograd.grad(step, point, u, retain_graph=True)[0],
-                g,
-                tol=self.backward_tol,
-                max_iter=self.backward_max_iter,
-            )
-            return u
+class Hidden(torch.autograd.Function):
+    @staticmethod
+    def forward(ctx, cell, steps, z, x, *parameters):
+        x = x.detach().requires_grad_()
+        with torch.enable_grad():
+            points = [z]
+            for _ in range(steps):
+                points.append(cell(points[-1], x))
+        ctx.points, ctx.inputs = points, [x, *parameters]
+        return points[-1].detach()
 
-        y.register_hook(solve_adjoint)
+    @staticmethod
+    def backward(ctx, g):
+        inputs = [each for each in ctx.inputs if each.requires_grad]
+        found = iter(
+            torch.autograd.grad(ctx.points[-1], inputs, g, retain_graph=True, allow_unused=True)
+        )
+        grads = [next(found) if each.requires_grad else None for each in ctx.inputs]
+        return None, None, None, *grads
