# over: solution.py
# verdict: HUNG
# group: unused
# en: A bucket that waits for a gradient that never comes stops all ranks.
# zh: 桶里有一个永远等不到的梯度，所有 rank 都会卡住。
@@
+import threading
 from contextlib import contextmanager
@@
         self.launched = []
+        self.all_launched = threading.Event()
@@
             self.launched.append((flat, work))
+        if len(self.launched) == len(self.buckets):
+            self.all_launched.set()
@@
-        if self.find_unused:
-            self.missing = [set() for _ in self.buckets]
-            self._launch()
-            used = self._used_anywhere()
-        self.was_left = len(self.launched) < len(self.buckets)
+        self.all_launched.wait()
