# over: solution.py
# verdict: WA property
# en: A pull that should wait sleeps for a second and returns whatever is there.
# zh: 本该等待的 pull 睡一秒，然后返回当时的内容。
@@
-            self._changed.wait_for(lambda: self._may_pull(worker))
+            self._changed.wait_for(lambda: self._may_pull(worker), timeout=1.0)
