# over: solution.py
# verdict: WA grad
# group: grad
# en: The Jacobian is diag(p) - p pᵀ, not its diagonal alone; the VJP is p (g - Σ g p).
# zh: 雅可比是 diag(p) − ppᵀ，不只是对角线；VJP 为 p(g − Σgp)。
@@
+class Softmax(torch.autograd.Function):
+    @staticmethod
+    def forward(ctx, shifted, dim):
+        weights = shifted.exp()
+        total = weights.sum(dim, keepdim=True)
+        p = weights / total.masked_fill(total == 0, 1.0)
+        ctx.save_for_backward(p)
+        return p
+
+    @staticmethod
+    def backward(ctx, grad_output):
+        (p,) = ctx.saved_tensors
+        return grad_output * p * (1 - p), None
+
+
 def stable_softmax(
@@
-    weights = shift_down(x, dim, mask).exp()
-    total = weights.sum(dim, keepdim=True)
-    y = weights / total.masked_fill(total == 0, 1.0)
+    y = Softmax.apply(shift_down(x, dim, mask), dim)
