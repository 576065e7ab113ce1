# over: solution.py
# verdict: WA property
# group: sample
# en: The first stage keeps the size of the stem.
# zh: 第一个阶段保持输入部分的大小。
@@
-                stride = 2 if stage > 0 and number == 0 else 1
+                stride = 2 if number == 0 else 1
