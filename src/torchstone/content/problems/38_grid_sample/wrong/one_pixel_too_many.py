# over: solution.py
# verdict: WA value
# group: small
# en: Pixel size is outside: the last one is size - 1.
# zh: 下标 size 已在界外：最后一个是 size − 1。
@@
-    inside = (position >= 0) & (position <= size - 1)
+    inside = (position >= 0) & (position <= size)
