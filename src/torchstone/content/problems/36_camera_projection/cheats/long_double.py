# over: solution.py
# verdict: FORBIDDEN_OP
# en: The coefficients in the long double of NumPy, which has digits to lose.
# zh: 用 NumPy 的 long double 算系数，它有多余的位数可丢。
@@
+import numpy as np
 import torch
@@
-        (theta - theta.sin()) / theta**3,
+        torch.from_numpy((_long(theta) - np.sin(_long(theta))) / _long(theta) ** 3),
@@
+def _long(theta: Tensor) -> np.ndarray:
+    return theta.detach().numpy().astype(np.longdouble)
+
+
 def _series(s: Tensor, first: int) -> Tensor:
