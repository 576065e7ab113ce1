# over: solution.py
# verdict: WA grad
# group: small
# en: The step for the adjoint equation is kept on self, so a second call overwrites that of the
#   first.
# zh: 伴随方程用的步骤存放在 self 上，第二次调用会覆盖第一次的。
@@
         point = z.detach().clone().requires_grad_()
-        step = self.cell(point, x.detach())
+        self.step = self.cell(point, x.detach()), point
 
@@
             u, self.last_backward_info = self.solver(
-                lambda u: g + torch.autograd.grad(step, point, u, retain_graph=True)[0],
+                lambda u: g + torch.autograd.grad(*self.step, u, retain_graph=True)[0],
                 g,
