# over: solution.py
# verdict: WA property
# group: sample
# en: The result is a named tuple with the fields uv, depth and valid; a plain tuple has no names.
# zh: 返回值是带有 uv、depth、valid 三个字段的具名元组；普通元组没有字段名。
@@
-    return Projection(uv, depth, valid)
+    return uv, depth, valid
