# over: solution.py
# verdict: WA property
# group: edge
# en: A temperature that is not positive raises ValueError.
# zh: 温度不为正时抛 ValueError。
@@
-    if not temperature > 0:
+    if temperature is None:
