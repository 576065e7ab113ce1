# over: solution.py
# verdict: WA grad
# group: grad
# en: A tensor that forward made and saved, and did not return, is a constant for a backward that is differentiated: terms are missing without a word.
# zh: forward 里算出并保存、却没有返回的张量，在对反向再求导时是常数：二阶导数会悄悄缺项。
@@
+class LogSumExp(torch.autograd.Function):
+    @staticmethod
+    def forward(ctx, scores, shift, dim):
+        weights = (scores - shift).exp()
+        total = weights.sum(dim, keepdim=True)
+        total = total.masked_fill(total == 0, 1.0)
+        ctx.save_for_backward(weights / total)
+        return total.log()
+
+    @staticmethod
+    def backward(ctx, grad_output):
+        (p,) = ctx.saved_tensors
+        return grad_output * p, None, None
+
+
 def log_sum_exp(
@@
-    total = (scores - shift).exp().sum(dim, keepdim=True)
     # Added after the logarithm, so a dead row is -inf + log 1.
-    result = total.masked_fill(total == 0, 1.0).log() + top
+    result = LogSumExp.apply(scores, shift, dim) + top
