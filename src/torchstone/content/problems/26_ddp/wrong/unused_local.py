# over: solution.py
# verdict: WA grad
# group: unused
# en: A parameter that another rank has used gets the mean here as well, or the weights drift
#   apart.
# zh: 别的 rank 用过的参数，本 rank 也要得到平均值，否则权重会越走越远。
@@
-            used = self._used_anywhere()
