# over: good/running_maximum.py
# verdict: WA value
# group: accum
# en: Comparisons with NaN are false, so max(old, nan) is old; test for NaN.
# zh: 与 NaN 比较恒为假，`max(old, nan)` 得到 old；要单独判断。
@@
-import math
@@ def _record
-            if old is None or math.isnan(new) or new > old:
-                self.values[name] = new
+            self.values[name] = new if old is None else max(old, new)
