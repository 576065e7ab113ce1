# over: solution.py
# verdict: WA shape
# group: small
# en: squeeze() without a dimension also drops others of size 1; only `dim` goes.
# zh: 不带参数的 squeeze() 会把其他长度为 1 的维度也去掉；只应去掉 `dim`。
@@
-    return (result if keepdim or x.dim() == 0 else result.squeeze(dim)).to(x.dtype)
+    return (result if keepdim or x.dim() == 0 else result.squeeze()).to(x.dtype)
