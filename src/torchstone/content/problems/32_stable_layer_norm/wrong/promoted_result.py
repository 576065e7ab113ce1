# over: solution.py
# verdict: WA dtype
# group: small
# en: The result has the dtype of x, whatever dtype the parameters have.
# zh: 无论参数是什么类型，结果的类型都与 x 相同。
@@
-        y = y * weight.flatten().to(wide)
+        y = y * weight.flatten()
@@
-        y = y + bias.flatten().to(wide)
-    return y.to(x.dtype).reshape(x.shape)
+        y = y + bias.flatten()
+    return (y.to(x.dtype) if x.dtype != wide else y).reshape(x.shape)
