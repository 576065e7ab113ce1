# over: solution.py
# verdict: WA value
# group: scale
# en: Divided by the opacity, the depth explodes on empty rays: what escapes counts at far.
# zh: 深度除以不透明度，在空光线上会爆炸：穿透的部分按 far 计。
@@
-    depth = (weights * t).sum(-1) + escapes * far
+    depth = (weights * t).sum(-1) / (1 - escapes + 1e-10)
