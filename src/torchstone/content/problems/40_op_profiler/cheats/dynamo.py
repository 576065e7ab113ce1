# over: solution.py
# verdict: FORBIDDEN_OP
# en: Lets torch._dynamo trace the model.
# zh: 用 torch._dynamo 跟踪模型。
@@
+import torch._dynamo
 from torch import nn
