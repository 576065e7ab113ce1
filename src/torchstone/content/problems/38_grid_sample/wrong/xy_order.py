# over: solution.py
# verdict: WA value
# group: sample
# en: grid[..., 0] is x, the last dimension of input; it is not the row.
# zh: grid[..., 0] 是 x，对应 input 的最后一维，而不是行。
@@
-    places = grid.flatten(1, -2).unbind(-1)
+    places = grid.flatten(1, -2).flip(-1).unbind(-1)
