# over: solution.py
# verdict: WA value
# group: layout
# en: empty_like keeps the strides of a dense tensor: what is written in order is read transposed.
# zh: empty_like 会保留稠密张量的 stride：按次序写进去，读出来却是转置的。
@@
-    x = x.contiguous()
     y = torch.empty_like(x)
+    x = x.contiguous()
