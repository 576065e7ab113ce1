# over: solution.py
# verdict: WA value
# group: sample
# en: Inside a bin the inverse is linear, not its left edge.
# zh: 区间内部线性插值，不是取左边。
@@
-    return left + share.clamp(0, 1) * (right - left)
+    return left
