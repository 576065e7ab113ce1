# over: solution.py
# verdict: WA property
# group: errors
# en: A refused push leaves no trace: the clock of its worker stays as well.
# zh: 被拒绝的推送不留痕迹：worker 的时钟也不变。
@@
         with self._changed:
+            self._clocks[worker] += 1
             self._check_push(worker, grads)
@@
-            self._clocks[worker] += 1
