# over: solution.py
# verdict: WA dtype
# group: low
# en: Lists functions by name but leaves out the reflected operators, such as
#     w.__rmatmul__(x).
# zh: 按名字列出了函数，却漏了反射运算符，例如 w.__rmatmul__(x)。
@@
-    *("matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "mv", "addmm", "addmv", "baddbmm"),
+    *("matmul", "mm", "bmm", "mv", "addmm", "addmv", "baddbmm"),
@@
-    *("exp", "expm1", "log", "log1p", "log2", "log10", "pow", "__pow__", "__rpow__"),
+    *("exp", "expm1", "log", "log1p", "log2", "log10", "pow", "__pow__"),
