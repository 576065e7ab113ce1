# over: solution.py
# verdict: WA value
# group: small
# en: The first update must not use the gradient that was there when fit was called.
# zh: 第一次更新不能用上调用 fit 之前留下的梯度。
@@
-        optimizer.zero_grad()
+        if step:
+            optimizer.zero_grad()
         losses = []
