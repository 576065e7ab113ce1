# over: solution.py
# verdict: FORBIDDEN_OP
# en: Imports torchvision, which has such blocks.
# zh: 导入 torchvision，那里有现成的块。
@@
-from torch import Tensor, nn
+import torchvision  # noqa: F401
+from torch import Tensor, nn
