# over: solution.py
# verdict: WA grad | RTE
# group: grad
# en: What was saved is what the caller gave; the copies of the forward are gone.
# zh: 保存的是调用者给的张量；前向里整理出的连续副本已经不在了。
@@
-    inputs = (grad.contiguous(), input.contiguous(), grid.contiguous())
+    inputs = (grad.contiguous(), input, grid)
