# over: solution.py
# verdict: WA value
# group: edge
# en: A NaN stays in its row: rows have no number in common.
# zh: NaN 只影响自己那一行：行与行之间没有共用的数。
@@
-    variance = scaled.square().mean(-1, keepdim=True) + (root / size).square()
+    variance = scaled.square().mean(-1, keepdim=True) + (root / size).square()
+    variance = variance + 0 * x.to(wide).sum()
