# over: solution.py
# verdict: WA value
# group: small
# en: A real step may be zero; what is padding follows from the lengths.
# zh: 真实的时间步也可能全是零；哪里是填充要由长度得出。
@@
-    return numbers, padded, positions < 0, positions.clamp(min=0)
+    empty = (padded == 0).reshape(len(batch), longest, -1).all(-1)
+    return numbers, padded, empty, positions.clamp(min=0)
