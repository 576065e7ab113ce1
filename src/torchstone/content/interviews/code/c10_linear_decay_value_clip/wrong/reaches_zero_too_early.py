# over: solution.py
# verdict: WA value
# group: sample
# en: The last update still moves: zero belongs to update number steps.
# zh: 最后一次更新仍要走动：零属于编号为 steps 的更新。
@@
-    return max(floor, (steps - step) / (steps - warmup))
+    return max(floor, (steps - 1 - step) / max(steps - 1 - warmup, 1))
