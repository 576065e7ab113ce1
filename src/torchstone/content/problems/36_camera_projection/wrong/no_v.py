# over: solution.py
# verdict: WA value
# group: sample
# en: The translation of exp(xi) is V rho, not rho: the rotation carries it along an arc.
# zh: exp(xi) 的平移是 Vρ 而不是 ρ：旋转会带着它走一段弧。
@@
-    translation = (eye + b * hat + c * square) @ rho[..., None]
+    translation = rho[..., None]
