# over: solution.py
# verdict: WA property
# group: depth
# en: Copies each batch when it is asked for.
# zh: 被取时才拷贝，根本没有预取。
@@
-        while len(ready) <= depth and not is_over:
+        while not ready and not is_over:
