# over: solution.py
# verdict: WA grad
# group: grad
# en: What forward made has no history in backward: a second derivative through the saved x_hat
#   is wrong.
# zh: 前向产生的张量在反向里没有历史：二阶导数穿过保存下来的 x̂，就悄悄丢了项。
@@
+class Normalize(torch.autograd.Function):
+    @staticmethod
+    def forward(ctx, scaled: Tensor, rstd: Tensor) -> Tensor:
+        x_hat = scaled * rstd
+        ctx.save_for_backward(x_hat, rstd)
+        return x_hat.clone()
+
+    @staticmethod
+    def backward(ctx, h: Tensor) -> tuple[Tensor, None]:
+        x_hat, rstd = ctx.saved_tensors
+        along = (h * x_hat).mean(-1, keepdim=True)
+        return rstd * (h - h.mean(-1, keepdim=True) - x_hat * along), None
+
+
 def stable_layer_norm(
@@
-    y = scaled * variance.masked_fill(variance == 0, 1.0).rsqrt()
+    y = Normalize.apply(scaled, variance.masked_fill(variance == 0, 1.0).rsqrt().detach())
