# over: solution.py
# verdict: WA value
# group: sample
# en: key_padding_mask is true where attention must not look.
# zh: `key_padding_mask` 在不许看的地方为真。
@@
-    return numbers, padded, positions < 0, positions.clamp(min=0)
+    return numbers, padded, positions >= 0, positions.clamp(min=0)
