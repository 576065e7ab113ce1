# over: solution.py
# verdict: WA value
# group: layout
# en: A kernel reads memory in its order; strides are the caller's business.
# zh: 核函数按内存次序读取；stride 要由调用者处理。
@@
-    a, b = a.contiguous(), b.contiguous()
-    out = torch.empty_like(a)
+    out = torch.empty_like(a, memory_format=torch.contiguous_format)
