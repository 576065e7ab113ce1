# over: solution.py
# verdict: WA value
# group: scale
# en: A short series about 0 serves small angles only; at 3 or 12 it is far off.
# zh: 在 0 处展开的短级数只适用于小角度；到 3 或 12 时早已失准。
@@
-SMALL = 1.0
-NUM_TERMS = 10
+SMALL = 200.0
+NUM_TERMS = 8
