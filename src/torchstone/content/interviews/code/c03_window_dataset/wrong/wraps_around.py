# over: solution.py
# verdict: WA property
# group: edge
# en: Only one turn is allowed: below -n an index is out of range.
# zh: 负下标只能绕一圈：小于 -n 就是越界。
@@
-        if not -count <= index < count:
+        if index >= count:
