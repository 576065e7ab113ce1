# over: solution.py
# verdict: WA value
# en: Computes products in float32 and casts only the result.
# zh: 乘积仍用 float32 计算，只转换结果。
@@
-                args, kwargs = cast_all((args, kwargs), dtype)
+                args, kwargs = cast_all((args, kwargs), torch.float32)
+                result = func(*args, **kwargs)
+                return cast(result, dtype)
