# over: solution.py
# verdict: WA property
# group: ssp
# en: The bound is the slowest clock plus the staleness; one more lets a worker run too far ahead.
# zh: 上限是最慢的时钟加陈旧度；再加一会让 worker 领先过多。
@@
-        return self._clocks[worker] <= slowest + self._staleness
+        return self._clocks[worker] <= slowest + self._staleness + 1
