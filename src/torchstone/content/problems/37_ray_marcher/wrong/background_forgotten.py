# over: solution.py
# verdict: WA value
# group: sample
# en: march_rays hands its background on.
# zh: march_rays 要把 background 传下去。
@@
-        return composite(sigma, rgb, t, far, background)
+        return composite(sigma, rgb, t, far)
