# over: solution.py
# verdict: WA value
# group: small
# en: `dtype` casts the input before anything is computed; casting the result keeps digits that the input should have lost.
# zh: `dtype` 要求先转换输入再计算；只转换结果，会保留输入本应丢掉的数位。
@@ stable_softmax
-    x = x if dtype is None else x.to(dtype)  # the input is cast before anything is computed
+    target, x = dtype or x.dtype, x if x.is_floating_point() or dtype is None else x.to(dtype)
     check(x, dim, mask)
@@
-    return hide(y, mask, 0.0).to(x.dtype)
+    return hide(y, mask, 0.0).to(target)
