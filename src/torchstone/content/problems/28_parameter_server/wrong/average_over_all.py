# over: solution.py
# verdict: WA value
# group: leave
# en: Divide by those present in the round, not by the number of workers at the start.
# zh: 除以这一轮实际参与的个数，而不是一开始的 worker 数。
@@
             if grads:
+                num_present = self._num_workers if self._mode == "sync" else 1
@@
-                velocity.mul_(self._momentum).add_(mean / len(grads))
+                velocity.mul_(self._momentum).add_(mean / num_present)
