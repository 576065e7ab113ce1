# over: solution.py
# verdict: WA value
# group: small
# en: Without u_fine the numbers are (j + 1/2) / num_fine.
# zh: 没有 u_fine 时，取 (j + ½)/num_fine。
@@
-                middles = (torch.arange(num_fine, dtype=t.dtype) + 0.5) / num_fine
+                middles = torch.linspace(0, 1, num_fine, dtype=t.dtype)
