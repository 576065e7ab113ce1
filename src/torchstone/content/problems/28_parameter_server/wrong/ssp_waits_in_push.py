# over: solution.py
# verdict: WA property
# group: ssp
# en: The bound is checked when a worker pulls; its push never waits.
# zh: 陈旧度在 pull 时检查；push 从不等待。
@@
             self._changed.notify_all()
+            if self._mode == "ssp":
+                self._changed.wait_for(lambda: self._may_pull(worker))
             return self._version
