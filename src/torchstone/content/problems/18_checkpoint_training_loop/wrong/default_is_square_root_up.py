# over: solution.py
# verdict: WA property
# group: small
# en: The default rounds √n up, where it should be rounded to the nearest number.
# zh: 默认段数对 √n 向上取整，而不是四舍五入到最近的整数。
@@
-        num_segments = round(math.sqrt(len(blocks)))
+        num_segments = math.ceil(math.sqrt(len(blocks)))
