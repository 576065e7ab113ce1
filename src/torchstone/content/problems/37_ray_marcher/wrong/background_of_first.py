# over: solution.py
# verdict: WA value
# group: small
# en: A background for each ray has shape (R, C).
# zh: 每条光线各有背景时，形状为 (R, C)。
@@
-        color = color + escapes[:, None] * background
+        color = color + escapes[:, None] * background.reshape(-1, rgb.shape[-1])[:1]
