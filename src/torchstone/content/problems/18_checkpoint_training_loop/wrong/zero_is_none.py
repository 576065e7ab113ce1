# over: solution.py
# verdict: WA property
# group: errors
# en: `num_segments or ...` takes 0 for None; 0 is a number that must be refused.
# zh: `num_segments or ...` 把 0 当成了 None；0 是必须拒绝的段数。
@@
-    if num_segments is None:
-        num_segments = round(math.sqrt(len(blocks)))
-    elif num_segments < 1:
-        raise ValueError(f"num_segments must be at least 1, got {num_segments}")
+    num_segments = num_segments or round(math.sqrt(len(blocks)))
+    if not num_segments:
+        num_segments = 1
+    num_segments = abs(num_segments)
