# over: solution.py
# verdict: WA value
# group: sample
# en: Only what escapes sees the background.
# zh: 只有穿透的光才看到背景。
@@
-        color = color + escapes[:, None] * background
+        color = color + background
