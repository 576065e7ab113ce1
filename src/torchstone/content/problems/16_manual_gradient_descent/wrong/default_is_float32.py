# over: solution.py
# verdict: WA dtype
# group: context
# en: Integers became float32; the default dtype is what torch.get_default_dtype() says.
# zh: 整数一律转成 float32；默认类型应以 torch.get_default_dtype() 为准。
@@
     if not dtype.is_floating_point:
-        dtype = torch.get_default_dtype()
+        dtype = torch.float32
