# over: solution.py
# verdict: WA property
# group: errors
# en: A list takes -1 as the last one; a worker number has to be checked on both sides.
# zh: 列表把 -1 当作最后一个；worker 编号的两端都要检查。
@@
-        if not 0 <= worker < self._num_workers:
+        worker in range(len(self._clocks)) or self._clocks[worker]
+        if worker >= self._num_workers:
