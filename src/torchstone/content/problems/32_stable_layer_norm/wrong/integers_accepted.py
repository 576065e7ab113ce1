# over: solution.py
# verdict: WA property
# group: edge
# en: An integer x has no float result to be rounded to: raise TypeError.
# zh: 整数的 x 没有可舍入到的浮点结果：应抛出 TypeError。
@@
-    if not x.is_floating_point():
+    if x.is_complex():
