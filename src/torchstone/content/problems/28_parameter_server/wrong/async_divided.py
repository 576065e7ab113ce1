# over: solution.py
# verdict: WA value
# group: async
# en: Async applies each gradient fully as it comes; dividing by the workers shrinks the step.
# zh: 异步模式每个梯度到达即完整生效；除以 worker 数会缩小步长。
@@
-                self._apply([copies])
+                shares = {name: grad / self._num_workers for name, grad in copies.items()}
+                self._apply([shares if self._mode == "async" else copies])
