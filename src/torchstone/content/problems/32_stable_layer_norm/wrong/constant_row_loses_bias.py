# over: solution.py
# verdict: WA value
# group: small
# en: A constant row is normalised to 0, and bias is added all the same.
# zh: 常数行归一化后是 0，`bias` 照样要加。
@@
-    return y.to(x.dtype).reshape(x.shape)
+    y = y.masked_fill((rows == rows[..., :1]).all(-1, keepdim=True), 0.0)
+    return y.to(x.dtype).reshape(x.shape)
