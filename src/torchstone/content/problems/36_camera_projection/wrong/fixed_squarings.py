# over: good/scaling_and_squaring.py
# verdict: WA value
# group: scale
# en: Five squarings and a series serve angles up to 12; beyond several turns digits are lost.
# zh: 固定平方五次再加级数，只够用到 12 左右的转角；转上好几圈就会丢失精度。
@@
-    small = rows / 2**9
+    small = rows / 2**5
@@
-    for k in range(10, 0, -1):
+    for k in range(14, 0, -1):
@@
-    for _ in range(9):
+    for _ in range(5):
