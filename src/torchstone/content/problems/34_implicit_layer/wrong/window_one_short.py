# over: solution.py
# verdict: WA property
# group: small
# en: m points have m - 1 differences; to mix m previous differences, keep m + 1 points.
# zh: m 个点只有 m - 1 个差分；要混合 m 个差分，须保留 m + 1 个点。
@@
             break
-        points, values = [*points[-m:], z], [*values[-m:], fz]
+        points, values = [*points, z][-m:], [*values, fz][-m:]
         z = mix(points, values, beta)
