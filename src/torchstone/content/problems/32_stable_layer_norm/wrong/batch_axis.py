# over: solution.py
# verdict: WA value | RTE
# group: sample
# en: LayerNorm never looks at other samples; the statistics run over normalized_shape.
# zh: LayerNorm 从不看其他样本；统计量只在 `normalized_shape` 的各维
#   上计算。
@@
-    rows = x.flatten(-len(shape)).to(wide)
+    columns = x.reshape(-1, math.prod(shape)).to(wide)
+    rows = columns.T
@@
-    if weight is not None:
+    y = y.T
+    if weight is not None:
