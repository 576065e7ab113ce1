# over: solution.py
# verdict: FORBIDDEN_OP
# en: The sums and the search of NumPy.
# zh: 用 NumPy 求和与查找。
@@
+import numpy as np
 import torch
@@
-    place = torch.searchsorted(cdf, u.contiguous(), right=True) - 1
+    rows = [np.searchsorted(c.numpy(), v.numpy(), "right") for c, v in zip(cdf, u, strict=True)]
+    place = torch.from_numpy(np.stack(rows)) - 1
