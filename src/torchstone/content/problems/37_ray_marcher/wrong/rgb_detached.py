# over: solution.py
# verdict: WA grad
# group: sample
# en: The colours are part of the model: their gradient is the weight.
# zh: 颜色也是模型的一部分，其梯度就是权重。
@@
-    color = (weights[..., None] * rgb).sum(-2)
+    color = (weights[..., None] * rgb.detach()).sum(-2)
