# over: solution.py
# verdict: WA value
# group: small
# en: The fraction counts from the floor before it is clamped.
# zh: 小数部分要从裁剪之前的 floor 算起。
@@
     if mode == "bilinear":
+        low = low.clamp(0, max(size - 2, 0))
+        t = x - low
         return [_select(low, 1 - t, size), _select(low + 1, t, size)]
