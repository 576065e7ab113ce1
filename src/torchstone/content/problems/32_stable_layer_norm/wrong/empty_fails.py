# over: solution.py
# verdict: RTE
# group: edge
# en: A batch of no rows, or rows of no numbers, give an empty result; a maximum of nothing
#   raises.
# zh: 没有行，或者一行没有元素，结果都是空张量；而对空集求最大值会报错。
@@
-    if x.numel() == 0:
-        return x.clone()
