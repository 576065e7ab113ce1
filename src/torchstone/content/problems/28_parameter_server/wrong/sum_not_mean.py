# over: solution.py
# verdict: WA value
# group: sync
# en: A round takes the mean; the sum over N workers means N times the learning rate.
# zh: 一轮取的是均值；对 N 个 worker 求和相当于学习率放大 N 倍。
@@
-                velocity.mul_(self._momentum).add_(mean / len(grads))
+                velocity.mul_(self._momentum).add_(mean)
