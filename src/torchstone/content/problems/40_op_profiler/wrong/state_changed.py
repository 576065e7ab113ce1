# over: solution.py
# verdict: WA property
# group: sample
# en: The profiler puts a buffer into the model, and state_dict() has one key more.
# zh: profiler 在模型中登记了缓冲区，state_dict() 多出一个键。
@@
+import torch
 from torch import nn
@@
         self._handles, self._open = [], []
+        self._model.register_buffer("profiled_steps", torch.zeros(()))
         self._profile, self._step = None, 0
