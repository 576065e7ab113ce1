# over: solution.py
# verdict: WA dtype
# group: low
# en: Knows torch.matmul but not x @ w, which is Tensor.__matmul__.
# zh: 只处理 torch.matmul，漏了 x @ w：它调用的是 Tensor.__matmul__。
@@
-            if name in LOW:
+            is_method = getattr(func, "__objclass__", None) is not None
+            if is_method:
+                pass
+            elif name in LOW:
