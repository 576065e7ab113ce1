# over: solution.py
# verdict: WA property
# group: sample
# en: `param.data = ...` gives the parameter another storage; others still hold the old one.
# zh: `param.data = ...` 换掉了参数的存储，别处拿着的仍是旧的那块。
@@
-        param.addcdiv_(mean, root, value=-lr / correction1)
+        param.data = param.addcdiv(mean, root, value=-lr / correction1)
