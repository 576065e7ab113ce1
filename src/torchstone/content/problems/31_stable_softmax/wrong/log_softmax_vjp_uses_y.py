# over: solution.py
# verdict: WA grad
# group: grad
# en: For log-softmax the VJP is g - p Σ g; p (g - Σ g p) belongs to the softmax.
# zh: log-softmax 的 VJP 是 g − pΣg；p(g − Σgp) 是 softmax 的。
@@
+class LogSoftmax(torch.autograd.Function):
+    @staticmethod
+    def forward(ctx, shifted, dim):
+        total = shifted.exp().sum(dim, keepdim=True)
+        y = shifted - total.masked_fill(total == 0, 1.0).log()
+        ctx.save_for_backward(y)
+        ctx.dim = dim
+        return y
+
+    @staticmethod
+    def backward(ctx, grad_output):
+        p = ctx.saved_tensors[0].exp()
+        return p * (grad_output - (grad_output * p).sum(ctx.dim, keepdim=True)), None
+
+
 def stable_log_softmax(
@@
-    shifted = shift_down(x, dim, mask)
-    total = shifted.exp().sum(dim, keepdim=True)
-    y = shifted - total.masked_fill(total == 0, 1.0).log()
+    y = LogSoftmax.apply(shift_down(x, dim, mask), dim)
