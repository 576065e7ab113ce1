# over: solution.py
# verdict: WA property
# group: errors
# en: A beta of 1 averages for ever, a negative rate climbs: refuse them when they are given.
# zh: beta 取 1 会让均值永不更新，负的学习率会往上爬：构造时就要拒绝。
@@
-            if not 0 <= beta < 1:
+            if not 0 <= beta <= 1:
