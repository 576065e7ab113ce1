# over: solution.py
# verdict: RTE | WA value
# group: out
# en: Casts the arguments of calls with out=, too. The result then does not fit into the
#     tensor that was given.
# zh: 带 out= 的调用也转换了参数，结果与给定的张量类型不符。
@@
-        if dtype is not None and kwargs.get("out") is None:
+        if dtype is not None:
