# over: solution.py
# verdict: WA value
# group: mask
# en: Where both masks are given, both restrict; here the padding is ignored beside a mask.
# zh: 同时给出两种掩码时两者都要生效；这里有了 mask 就忽略了填充。
@@
-        if padding is not None:
-            of_keys = as_scores(padding, src.dtype)[:, None, None, :]
-            merged = of_keys if merged is None else merged + of_keys
+        elif padding is not None:
+            merged = as_scores(padding, src.dtype)[:, None, None, :]
