# over: solution.py
# verdict: WA value
# group: small
# en: Between an outer edge and the first centre there is no second pixel: clip after reflecting.
# zh: 外缘与首像素中心之间没有第二个像素：反射之后还要裁剪。
@@
         x = low + span - ((x - low) % (2 * span) - span).abs()
+        return x
     return x.clamp(0, size - 1)
