# over: solution.py
# verdict: WA grad
# group: sample
# en: Right values; the attention is left out of the gradient.
# zh: 数值正确，但注意力不参与求导。
@@
-        context = (weights @ v).transpose(1, 2).reshape(batch, length, d_model)
+        context = (weights.detach() @ v).transpose(1, 2).reshape(batch, length, d_model)
