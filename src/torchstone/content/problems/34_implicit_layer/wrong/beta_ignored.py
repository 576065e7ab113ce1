# over: solution.py
# verdict: WA property
# group: small
# en: beta is accepted and not used; each mixed point is beta f(z) + (1 - beta) z.
# zh: 接收了 beta 却没有使用；参与混合的应是 beta f(z) + (1 - beta) z。
@@
     images = torch.stack(
-        [(beta * f + (1 - beta) * z).flatten(1) for z, f in zip(points, values, strict=True)], 2
+        [f.flatten(1) for z, f in zip(points, values, strict=True)], 2
     )
