# over: solution.py
# verdict: WA value
# group: sample
# en: Here xi is [rho, phi], the translation first; other libraries have the rotation first.
# zh: 本题的 xi 是 [ρ, φ]，平移在前；也有库把旋转放在前面，要看约定。
@@
-    rho, phi = xi[..., :3], xi[..., 3:]
+    phi, rho = xi[..., :3], xi[..., 3:]
