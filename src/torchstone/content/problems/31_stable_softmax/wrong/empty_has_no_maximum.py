# over: solution.py
# verdict: RTE
# group: edge
# en: amax of an empty row raises; the log-sum-exp of nothing is log 0 = -inf, and a softmax of nothing is empty.
# zh: 对空行求 amax 会报错；空集的 log-sum-exp 是 log 0 = −inf，空集的 softmax 是空张量。
@@ def prepare
-    if x.dim() and x.size(dim) == 0:
-        return scores, scores.detach().sum(dim, keepdim=True) + NEVER
