# over: solution.py
# verdict: WA property
# group: alias
# en: A buffer is kept for the next batch of that shape: earlier results change with it.
# zh: 缓冲区留给同形状的下一批用：以前的结果也随之改变。
@@
 from torch import Tensor

+BUFFERS = {}
@@
-    data = torch.full((*lead, *first.shape[1:]), padding_value, dtype=dtype)
+    shape = (*lead, *first.shape[1:])
+    data = BUFFERS.setdefault((shape, dtype), torch.empty(shape, dtype=dtype))
+    data.fill_(padding_value)
