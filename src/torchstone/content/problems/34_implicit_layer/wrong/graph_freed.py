# over: solution.py
# verdict: RTE
# group: sample
# en: The first VJP of the adjoint solve frees the graph of the step; retain it.
# zh: 伴随求解的第一次 vjp 就释放了该步的计算图；应保留。
@@
             u, self.last_backward_info = self.solver(
-                lambda u: g + torch.autograd.grad(step, point, u, retain_graph=True)[0],
+                lambda u: g + torch.autograd.grad(step, point, u)[0],
                 g,
