# over: solution.py
# verdict: SLOW
# group: growth
# en: One assignment for each time step: the work is in the calls, not in the bytes.
# zh: 每个时间步赋值一次：开销都在调用上，而不在字节上。
@@
-        row[: len(each)] = each.detach()
+        for place, item in zip(row, each.detach(), strict=False):
+            place.copy_(item)
