# over: solution.py
# verdict: WA property
# group: ssp
# en: With staleness 0 a worker may start step c when all others have finished c; `<` waits for
#   more.
# zh: 陈旧度为 0 时，其他 worker 都完成 c 步就可以开始下一步；用 `<` 会多等一步。
@@
-        return self._clocks[worker] <= slowest + self._staleness
+        return self._clocks[worker] < slowest + max(self._staleness, 1)
