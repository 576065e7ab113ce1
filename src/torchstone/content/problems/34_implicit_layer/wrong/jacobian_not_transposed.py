# over: solution.py
# verdict: WA grad
# group: grad
# en: The adjoint equation uses J^T: a vector-Jacobian product. Here u = g + J u is solved, with a
#   Jacobian-vector product.
# zh: 伴随方程用 J^T，即 vjp；这里用 jvp 解了 u = g + J u。
@@
         step = self.cell(point, x.detach())
+        v = torch.zeros_like(step, requires_grad=True)
+        (back,) = torch.autograd.grad(step, point, v, create_graph=True)
 
@@
             u, self.last_backward_info = self.solver(
-                lambda u: g + torch.autograd.grad(step, point, u, retain_graph=True)[0],
+                lambda u: g + torch.autograd.grad(back, v, u, retain_graph=True)[0],
                 g,
