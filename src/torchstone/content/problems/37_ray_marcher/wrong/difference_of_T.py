# over: solution.py
# verdict: WA value
# group: scale
# en: Weights as differences of transmittances: near 1 they have no digits left.
# zh: 权重写成相邻透射率之差：透射率接近 1 时，有效数字全部丢失。
@@
-    weights = transmittance * -torch.expm1(-tau)
+    weights = torch.exp(-total[:, :-1]) - torch.exp(-total[:, 1:])
