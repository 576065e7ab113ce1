# over: solution.py
# verdict: WA property | WA value
# group: queue
# en: A worker may be rounds ahead: its pushes queue, and none replaces the one before.
# zh: worker 可以领先好几轮：它的推送要排队，后一个不能覆盖前一个。
@@
-                self._queues[worker].append(copies)
+                if self._queues[worker]:
+                    self._queues[worker][0] = copies
+                else:
+                    self._queues[worker].append(copies)
