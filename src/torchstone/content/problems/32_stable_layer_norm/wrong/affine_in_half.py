# over: solution.py
# verdict: WA value
# group: scale
# en: Round once, at the end; an x_hat of half precision has already lost the digits that a bias
#   leaves.
# zh: 只在最后舍入一次；半精度的 x̂ 早已丢掉了加偏置后剩下的那几位。
@@
-    if weight is not None:
+    y = y.to(x.dtype).to(wide)
+    if weight is not None:
