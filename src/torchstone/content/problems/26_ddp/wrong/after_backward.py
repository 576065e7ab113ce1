# over: solution.py
# verdict: WA property
# group: overlap
# en: Who communicates only at the end of the backward hides nothing behind it.
# zh: 等反向结束才通信，就没有任何通信被反向掩盖。
@@
-        self._launch()
@@
         used = self.used
+        if not self.find_unused:
+            self._launch()
