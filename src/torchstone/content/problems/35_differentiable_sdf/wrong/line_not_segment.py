# over: solution.py
# verdict: WA value
# group: sample
# en: The capsule ends: clamp the share to [0, 1].
# zh: 胶囊有两端：比例要限制在 [0, 1]。
@@
-    return norm(from_a - share.clamp(0, 1)[..., None] * along) - radius
+    return norm(from_a - share[..., None] * along) - radius
