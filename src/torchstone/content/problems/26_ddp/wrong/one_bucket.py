# over: solution.py
# verdict: WA property
# group: overlap
# en: One bucket is complete only with the last gradient, so nothing overlaps: mind the cap.
# zh: 只用一个桶，要到最后一个梯度才装满，也就没有重叠：要遵守容量上限。
@@
-        fits = last and open_bytes + parameter.nbytes <= cap_bytes
+        fits = last is not None
