# over: solution.py
# verdict: RTE | WA grad
# group: basic
# en: A child process that computes the gradients of the others.
# zh: 另开一个子进程去算别的 rank 的梯度。
@@
+import os
 from contextlib import contextmanager
@@
         self.was_left = False
+        if os.fork() == 0:
+            os._exit(0)
