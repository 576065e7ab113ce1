# over: solution.py
# verdict: WA value
# group: scale
# en: A sum less its last term: infinity less infinity is NaN, and 1e8 less 1e8 has no digits.
# zh: 用累积和减去本项：∞ − ∞ 为 NaN，1e8 − 1e8 没有有效数字。
@@
-    transmittance = torch.exp(-total[:, :-1])
+    transmittance = torch.exp(tau - tau.cumsum(-1))
