# over: solution.py
# verdict: WA value
# group: scale
# en: The rotation has the period 2 pi, V has not: a wrapped angle changes the translation.
# zh: 旋转以 2π 为周期，V 却不是：把角度折回一圈之内，平移就变了。
@@
-    a, b, c = _coefficients(phi.square().sum(-1)[..., None, None])
+    s = phi.square().sum(-1, keepdim=True)
+    turns = torch.where(s < 39.0, 0.0, (s.detach().sqrt() / 6.283185307179586).floor())
+    length = torch.where(s < 39.0, 1.0, s).sqrt()
+    phi = phi * (1 - turns * 6.283185307179586 / length)
+    a, b, c = _coefficients(phi.square().sum(-1)[..., None, None])
