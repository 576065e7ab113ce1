# over: solution.py
# verdict: WA property
# group: sample
# en: A distance steps in arc length, so directions must have length 1.
# zh: 距离步进以弧长计，方向必须先归一化。
@@
-    unit = dirs / norm(dirs)[..., None]
+    unit = dirs
