# over: solution.py
# verdict: FORBIDDEN_OP
# en: Lets a manager of multiprocessing hold the parameters.
# zh: 让 multiprocessing 的 Manager 保存参数。
@@
+import multiprocessing
 import pickle
@@
-        self._clocks = [0] * num_workers
+        self._clocks = multiprocessing.Manager().list([0] * num_workers)
