# over: solution.py
# verdict: WA dtype
# group: low
# en: Casts tensors that are arguments themselves, but not those in the list that einsum
#     takes.
# zh: 只转换直接作为参数的张量，einsum 收到的列表里的张量没有转换。
@@
-    if type(item) in (tuple, list):
-        return type(item)(cast_all(value, dtype) for value in item)
+    if type(item) is tuple:
+        return tuple(cast_all(value, dtype) for value in item)
