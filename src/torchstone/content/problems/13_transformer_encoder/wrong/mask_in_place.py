# over: solution.py
# verdict: INPUT_MUTATED
# group: mask
# en: The padding is added into the caller's mask.
# zh: 把填充直接加进了调用者的掩码里。
@@
-            merged = of_keys if merged is None else merged + of_keys
+            if merged is None:
+                merged = of_keys
+            elif merged.dim() == 4:
+                merged += of_keys
+            else:
+                merged = merged + of_keys
