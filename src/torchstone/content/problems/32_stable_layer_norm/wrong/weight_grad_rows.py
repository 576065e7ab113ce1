# over: solution.py
# verdict: WA grad
# group: small
# en: The gradient of weight sums over all leading dimensions and keeps those of
#   normalized_shape.
# zh: weight 的梯度要对所有前导维求和，保留 `normalized_shape` 的各维。
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
+        of_weight = (g * x_hat).sum(tuple(range(g.ndim - 1)))
+        of_weight = of_weight.expand(weight.shape).to(weight.dtype)
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
