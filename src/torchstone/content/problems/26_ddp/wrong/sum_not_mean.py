# over: solution.py
# verdict: WA grad
# group: basic
# en: all_reduce adds. Only the mean makes the learning rate independent of the number of ranks.
# zh: all_reduce 求的是和；取了平均，学习率才与 rank 的个数无关。
@@
-            flat /= self.group.size()
