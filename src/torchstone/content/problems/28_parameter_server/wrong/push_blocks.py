# over: solution.py
# verdict: WA property
# group: queue
# en: A push is a message; the barrier is in pull. A fast worker may push ahead.
# zh: push 只是消息，屏障在 pull 里。快的 worker 可以先推送下一轮。
@@
             self._changed.notify_all()
+            self._changed.wait_for(lambda: not self._queues[worker])
             return self._version
