# over: solution.py
# verdict: WA value
# group: layout
# en: A kernel reads memory in its order; strides are the business of whoever calls it.
# zh: 核函数按内存次序读取；stride 要由调用者处理。
@@
-    x = x.contiguous()
-    y = torch.empty_like(x)
+    y = torch.empty_like(x, memory_format=torch.contiguous_format)
