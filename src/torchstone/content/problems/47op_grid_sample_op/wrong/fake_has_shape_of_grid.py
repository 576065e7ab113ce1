# over: solution.py
# verdict: WA shape | WA property
# group: meta
# en: The result has the channels in front, unlike the grid.
# zh: 结果的通道在前，与 grid 不同。
@@
-    return input.new_empty(N, C, Ho, Wo)
+    return input.new_empty(N, Ho, Wo, C)
