# over: solution.py
# verdict: WA property
# group: edge
# en: After max_steps evaluations the march ends.
# zh: 求值 max_steps 次后步进结束。
@@
-    while steps < max_steps and alive.any():
+    while steps <= max_steps and alive.any():
