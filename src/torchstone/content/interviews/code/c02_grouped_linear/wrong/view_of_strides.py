# over: solution.py
# verdict: RTE
# group: layout
# en: A tensor whose strides do not fit has no such view; reshape copies where it must.
# zh: 步长不合适的张量不能用 `view`；`reshape` 会在必要时复制。
@@
-    return x.reshape(-1, groups, features).transpose(0, 1)
+    return x.view(-1, groups, features).transpose(0, 1)
