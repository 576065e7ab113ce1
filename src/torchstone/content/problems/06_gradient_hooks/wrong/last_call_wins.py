# over: good/running_maximum.py
# verdict: WA value
# group: edge
# en: A shared module fires once per call; keep the maximum, not the latest.
# zh: 共享模块每次调用都会触发一次；要取最大值，而不是最后一次的值。
@@
-import math
@@ def _record
             return
+        largest = []
@@ def _record
-            new = gradient.abs().max().item()
-            old = self.values[name]
-            if old is None or math.isnan(new) or new > old:
-                self.values[name] = new
+            largest.append(gradient.abs().max().item())
+        if largest:
+            self.values[name] = max(largest)
