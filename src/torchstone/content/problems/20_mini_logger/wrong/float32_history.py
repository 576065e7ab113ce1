# over: solution.py
# verdict: WA value
# group: small
# en: `torch.tensor(0.1)` is float32: seven digits stay, and 16 777 217 is rounded away.
# zh: torch.tensor(0.1) 是 float32：只剩七位有效数字，16 777 217 也存不下。
@@
-        return float(value)
+        return torch.tensor(float(value))
