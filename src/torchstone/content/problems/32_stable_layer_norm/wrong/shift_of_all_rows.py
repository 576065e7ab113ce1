# over: solution.py
# verdict: WA value
# group: scale
# en: A shift is exact only near the row itself: each row needs its own.
# zh: 平移量只有靠近这一行时才没有舍入：每行要用自己的。
@@
-    deviation = rows - rows[..., :1].detach()
+    deviation = rows - rows.flatten()[0].detach()
