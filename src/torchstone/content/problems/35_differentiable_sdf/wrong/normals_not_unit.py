# over: solution.py
# verdict: WA value
# group: small
# en: A field need not be a distance: divide by the length of its gradient.
# zh: f 不一定是距离：要除以梯度的长度。
@@
-    return g / torch.where(length > 0, length, 1)
+    return g
