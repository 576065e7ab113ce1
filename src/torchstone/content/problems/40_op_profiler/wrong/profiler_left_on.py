# over: solution.py
# verdict: WA property | RTE
# group: edge
# en: After an exception the profiler goes on: __exit__ has to stop it in every case.
# zh: 出现异常后 profiler 仍在运行。__exit__ 无论如何都要停止它。
@@
-        if self._profile is not None:
+        if self._profile is not None and exc[0] is None:
             self._profile.__exit__(None, None, None)
