# over: solution.py
# verdict: WA property
# group: sync
# en: A synchronous worker must see the round it has just contributed to, so its pull waits for it.
# zh: 同步模式下 worker 要看到自己刚参与的那一轮，所以 pull 必须等它生效。
@@
-        if worker not in self._live or self._mode == "async":
+        if worker not in self._live or self._mode != "ssp":
@@
-        if self._mode == "sync":
-            return not self._queues[worker]
