# over: solution.py
# verdict: WA grad
# group: scale
# en: A sum over thousands of rows stops growing in half precision; add the rows in float32.
# zh: 几千行的和在半精度里加着加着就不再增长；要用 float32 累加各行。
@@
+class Affine(torch.autograd.Function):
+    @staticmethod
+    def forward(ctx, x_hat: Tensor, weight: Tensor) -> Tensor:
+        ctx.save_for_backward(x_hat, weight)
+        return x_hat * weight.to(x_hat.dtype)
+
+    @staticmethod
+    def backward(ctx, g: Tensor) -> tuple[Tensor, Tensor]:
+        x_hat, weight = ctx.saved_tensors
+        of_weight = torch.zeros_like(weight).flatten()
+        rows = (g * x_hat).to(weight.dtype).reshape(-1, of_weight.numel())
+        for row in rows.unbind() if weight.dtype.itemsize == 2 else [rows.sum(0)]:
+            of_weight += row
+        of_weight = of_weight.reshape(weight.shape)
+        return g * weight.to(g.dtype), of_weight
+
+
 def stable_layer_norm(
@@
-    if weight is not None:
-        y = y * weight.flatten().to(wide)
-    if bias is not None:
-        y = y + bias.flatten().to(wide)
-    return y.to(x.dtype).reshape(x.shape)
+    y = y.reshape(x.shape)
+    if weight is not None:
+        y = Affine.apply(y, weight)
+    if bias is not None:
+        y = y + bias.to(wide)
+    return y.to(x.dtype)
