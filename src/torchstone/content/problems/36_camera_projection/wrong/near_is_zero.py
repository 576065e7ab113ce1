# over: solution.py
# verdict: WA value
# group: edge
# en: valid means depth > near; whatever is in front of the plane is not enough.
# zh: valid 的意思是 depth > near；仅仅在相机前方还不够。
@@
-    valid = depth > near
+    valid = depth > 0
