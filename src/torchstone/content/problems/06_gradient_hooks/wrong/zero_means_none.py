# over: good/running_maximum.py
# verdict: WA value
# group: edge
# en: Zero gradient and no gradient are different diagnoses; None marks only the latter.
# zh: 梯度为零和没有梯度是两种诊断；只有后者才是 None。
@@ def __init__
-                self.values[name] = None
+                self.values[name] = 0.0
@@ def _record
-            if old is None or math.isnan(new) or new > old:
+            if math.isnan(new) or new > old:
@@ def max_abs
-        return dict(self.values)
+        return {name: value or None for name, value in self.values.items()}
@@ def report
-        for name, value in self.values.items():
+        for name, value in self.max_abs().items():
@@ def reset
-            self.values[name] = None
+            self.values[name] = 0.0
