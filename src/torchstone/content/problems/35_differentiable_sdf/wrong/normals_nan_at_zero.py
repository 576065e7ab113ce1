# over: solution.py
# verdict: WA value
# group: edge
# en: A gradient of zero has no direction: 0 / 0 is NaN.
# zh: 零梯度没有方向：0/0 是 NaN。
@@
-    return g / torch.where(length > 0, length, 1)
+    return g / length
