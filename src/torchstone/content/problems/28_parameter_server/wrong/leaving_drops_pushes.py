# over: solution.py
# verdict: WA property | WA value
# group: leave
# en: A push that was made before leaving stays in its round.
# zh: 离开之前已经推送的梯度仍留在它那一轮里。
@@
             self._live.discard(worker)
+            self._queues[worker].clear()
