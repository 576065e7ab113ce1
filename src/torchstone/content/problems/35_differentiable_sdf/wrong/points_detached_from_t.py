# over: solution.py
# verdict: WA grad
# group: sample
# en: points = origins + t d̂ moves with t, too.
# zh: points = origins + t d̂ 也随 t 变化。
@@
-        points = origins + t[..., None] * unit
