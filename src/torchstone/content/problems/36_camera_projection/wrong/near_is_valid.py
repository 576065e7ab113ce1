# over: solution.py
# verdict: WA value
# group: edge
# en: valid means depth > near; a point at this very depth is too close.
# zh: valid 的意思是 depth > near；深度恰好等于 near 的点仍然太近。
@@
-    valid = depth > near
+    valid = depth >= near
