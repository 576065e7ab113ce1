# over: solution.py
# verdict: WA grad
# group: small
# en: The size by which a row is divided cancels; a gradient through it alone does not.
# zh: 除以的尺度会约掉；只让梯度穿过其中一处，就约不掉了。
@@
-    size = deviation.detach().abs().amax(-1, keepdim=True)
+    size = torch.linalg.vector_norm(deviation, math.inf, dim=-1, keepdim=True)
@@
-    variance = scaled.square().mean(-1, keepdim=True) + (root / size).square()
+    variance = scaled.square().mean(-1, keepdim=True) + (root / size.detach()).square()
