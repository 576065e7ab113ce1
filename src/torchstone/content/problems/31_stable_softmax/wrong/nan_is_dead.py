# over: solution.py
# verdict: WA value
# group: edge
# en: A NaN that takes part is an error to be seen, not a dead row: only rows without a finite score become 0.
# zh: 参与计算的 NaN 是应当显现的错误，不是死行：只有没有任何分数的行才变成 0。
@@ stable_softmax
-    return hide(y, mask, 0.0).to(x.dtype)
+    return hide(y.nan_to_num(0.0), mask, 0.0).to(x.dtype)
