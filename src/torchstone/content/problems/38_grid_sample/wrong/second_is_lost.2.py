# over: solution.py
# verdict: WA grad
# group: grad
# en: A backward that detaches what it reads has no derivative of its own.
# zh: 反向里 detach 了读入的量，它自己就不再可导。
@@
         index = index[:, None].expand(-1, input.shape[1], -1)
-        out = out + pixels.gather(2, index) * weight[:, None]
+        out = out + once(pixels, index, weight[:, None])
     return out.reshape(*input.shape[:2], *grid.shape[1:-1])
+
+
+def once(pixels: Tensor, index: Tensor, weight: Tensor) -> Tensor:
+    """Let the weights' gradient flow through values that have no graph."""
+    values = pixels.gather(2, index)
+    return values * weight.detach() + values.detach() * (weight - weight.detach())
 
