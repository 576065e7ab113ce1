# over: solution.py
# verdict: WA property | WA value
# group: edge
# en: t_far counts from the origin of a ray, like t_near, not from where the march starts.
# zh: t_far 和 t_near 一样，从光线的起点算起，而不是从步进开始的地方算起。
@@
-        alive &= ~hit & (t <= t_far)
+        alive &= ~hit & (t - t_near <= t_far)
