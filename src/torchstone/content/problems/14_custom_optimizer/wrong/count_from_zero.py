# over: solution.py
# verdict: WA value | RTE
# group: sample
# en: In the first step t is 1: 1 − β⁰ is 0, and nothing can be divided by it.
# zh: 第一步的 t 是 1：1 − β⁰ 等于 0，不能作除数。
@@
-        # A count for each parameter: one without a gradient does not age.
-        state["step"] += 1
@@
         param.addcdiv_(mean, root, value=-lr / correction1)
+        state["step"] += 1
