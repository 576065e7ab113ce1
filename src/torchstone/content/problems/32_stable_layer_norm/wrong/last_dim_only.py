# over: solution.py
# verdict: WA value
# group: small
# en: normalized_shape may have several dimensions; the statistics run over all of them.
# zh: `normalized_shape` 可以有好几维；统计量要在所有这些维上计算。
@@
-    rows = x.flatten(-len(shape)).to(wide)
+    rows = x.to(wide)
@@
-        y = y * weight.flatten().to(wide)
+        y = y * weight.to(wide)
@@
-        y = y + bias.flatten().to(wide)
+        y = y + bias.to(wide)
