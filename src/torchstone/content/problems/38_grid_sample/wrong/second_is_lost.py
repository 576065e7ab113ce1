# over: solution.py
# verdict: WA grad
# group: grad
# en: A backward that detaches what it reads has no derivative of its own.
# zh: 反向里 detach 了读入的量，它自己就不再可导。
@@
         index = index[:, None].expand(-1, input.shape[1], -1)
-        out = out + pixels.gather(2, index) * weight[:, None]
+        out = out + Weigh.apply(pixels.gather(2, index), weight[:, None])
     return out.reshape(*input.shape[:2], *grid.shape[1:-1])
+
+
+class Weigh(torch.autograd.Function):
+    @staticmethod
+    def forward(ctx, value: Tensor, weight: Tensor) -> Tensor:
+        ctx.value, ctx.weight = value.detach(), weight.detach()
+        return value * weight
+
+    @staticmethod
+    def backward(ctx, grad: Tensor):
+        return grad * ctx.weight, (grad * ctx.value).sum(1, keepdim=True)
 
