# over: solution.py
# verdict: RTE | WA dtype
# group: low
# en: Casts float32 only. A tensor of the other half type has to be lowered too.
# zh: 只转换 float32。另一种半精度的张量也要转成目标类型。
@@
-    if x.dtype == dtype or x.dtype not in CAST:
+    if (x.dtype != torch.float32 and dtype != torch.float32) or x.dtype not in CAST:
