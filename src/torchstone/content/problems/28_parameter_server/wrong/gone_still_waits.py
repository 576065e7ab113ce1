# over: solution.py
# verdict: WA property
# group: leave
# en: A worker that has left does not count any more: not in the minimum, and its pull does not
#   wait.
# zh: 离开的 worker 不再计数：最小值里没有它，它的 pull 也不等待。
@@
-        slowest = min(self._clocks[other] for other in self._live)
+        slowest = min(self._clocks)
