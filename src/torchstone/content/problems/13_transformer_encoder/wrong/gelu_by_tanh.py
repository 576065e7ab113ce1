# over: solution.py
# verdict: WA value
# group: small
# en: The exact GELU is meant; its approximation by tanh is off by up to 5e-4.
# zh: 要的是精确的 GELU；用 tanh 的近似最多相差 5e-4。
@@
-ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}
+ACTIVATIONS = {"relu": F.relu, "gelu": lambda x: F.gelu(x, approximate="tanh")}
