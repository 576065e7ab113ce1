# over: solution.py
# verdict: WA grad
# group: sample
# en: Two samples may hit one pixel: the backward of gather adds, scatter overwrites.
# zh: 两个样本可能落在同一像素：gather 的反向要累加，scatter 会覆盖。
@@
         index = index[:, None].expand(-1, input.shape[1], -1)
-        out = out + pixels.gather(2, index) * weight[:, None]
+        out = out + Pick.apply(pixels, index) * weight[:, None]
     return out.reshape(*input.shape[:2], *grid.shape[1:-1])
+
+
+class Pick(torch.autograd.Function):
+    @staticmethod
+    def forward(ctx, pixels: Tensor, index: Tensor) -> Tensor:
+        ctx.save_for_backward(index)
+        ctx.shape = pixels.shape
+        return pixels.gather(2, index)
+
+    @staticmethod
+    def backward(ctx, grad: Tensor):
+        (index,) = ctx.saved_tensors
+        return grad.new_zeros(ctx.shape).scatter(2, index, grad), None
 
