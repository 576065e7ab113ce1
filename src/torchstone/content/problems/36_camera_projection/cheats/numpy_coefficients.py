# over: solution.py
# verdict: FORBIDDEN_OP
# en: NumPy computes the coefficients, and a function of autograd carries them.
# zh: 系数由 NumPy 计算，再用一个 autograd 函数接上梯度。
@@
-import torch
-from torch import Tensor
+import numpy as np
+import torch
+from torch import Tensor
@@
-    half = (theta / 2).sin() / (theta / 2)
+    sine = torch.from_numpy(np.sin(theta.detach().numpy() / 2))
+    half = sine / (theta / 2)
