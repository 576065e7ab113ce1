# over: solution.py
# verdict: WA value
# group: small
# en: The fraction counts from the floor before it is clamped.
# zh: 小数部分要从裁剪之前的 floor 算起。
@@
-        return [_select(low, 1 - t, size), _select(low + 1, t, size)]
+        low, high = low.clamp(0, size - 1), (low + 1).clamp(0, size - 1)
+        t = x - low
+        return [_select(low, 1 - t, size), _select(high, t, size)]
