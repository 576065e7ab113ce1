# over: solution.py
# verdict: WA value | RTE
# group: edge
# en: With align_corners one pixel has a span of 0, and a remainder by 0 is NaN.
# zh: align_corners=True 时单个像素的跨度为 0，对 0 取余得 NaN。
@@
-        if span == 0:
-            return 0 * x
