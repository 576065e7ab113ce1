# over: solution.py
# verdict: WA value
# group: sample
# en: far of march_rays is where the last bin ends.
# zh: march_rays 的 far 是最后一个区间的终点。
@@
-        return composite(sigma, rgb, t, far, background)
+        return composite(sigma, rgb, t, t[:, -1], background)
