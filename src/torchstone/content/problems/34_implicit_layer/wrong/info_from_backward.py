# over: solution.py
# verdict: WA property
# group: sample
# en: The adjoint solve overwrites last_info; two solves, two reports.
# zh: 反向求解覆盖了 last_info；前向、反向各有报告。
@@
         def solve_adjoint(g):
-            u, self.last_backward_info = self.solver(
+            u, self.last_info = self.solver(
                 lambda u: g + torch.autograd.grad(step, point, u, retain_graph=True)[0],
