# over: solution.py
# verdict: WA property
# group: depth
# en: If the next copy starts in next(), it overlaps with nothing.
# zh: 在 next() 里才开始拷贝，就没有可重叠的计算。
@@
-        while len(ready) <= depth and not is_over:
+        while len(ready) < depth and not is_over:
