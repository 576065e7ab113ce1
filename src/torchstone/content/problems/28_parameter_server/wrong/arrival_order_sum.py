# over: solution.py
# verdict: WA determinism
# group: sync
# en: Floating-point addition is not associative: sum in the order of the workers, not of arrival.
# zh: 浮点加法不满足结合律：要按 worker 的顺序求和，而不是按到达的顺序。
@@
         self._queues = [deque() for _ in range(num_workers)]
+        self._num_pushes = 0
@@
-                self._queues[worker].append(copies)
+                self._num_pushes += 1
+                self._queues[worker].append((self._num_pushes, copies))
@@
-            self._apply([queue.popleft() for queue in self._queues if queue])
+            arrived = sorted((queue.popleft() for queue in self._queues if queue), key=_number)
+            self._apply([copies for _, copies in arrived])
@@
         return {name: value.clone() for name, value in self._params.items()}
+
+
+def _number(push):
+    return push[0]
