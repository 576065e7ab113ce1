# over: solution.py
# verdict: WA property
# group: ssp
# en: Staleness compares the clocks of workers, not the number of updates.
# zh: 陈旧度比较的是各 worker 的时钟，而不是更新次数。
@@
-        slowest = min(self._clocks[other] for other in self._live)
+        slowest = self._version // self._num_workers
