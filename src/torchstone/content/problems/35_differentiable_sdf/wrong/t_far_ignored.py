# over: solution.py
# verdict: WA value
# group: edge
# en: Past t_far a ray is lost, even if a surface lies behind.
# zh: 超过 t_far 的光线就丢失了，即使后面还有曲面。
@@
-        alive &= ~hit & (t <= t_far)
+        alive &= ~hit
