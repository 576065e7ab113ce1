# over: solution.py
# verdict: WA property
# group: edge
# en: The temperature 0 is no limit but an error: 0 / 0.
# zh: 温度 0 不是极限，而是错误：0/0。
@@
-    if not temperature > 0:
+    if temperature < 0:
