# over: good/hand_all_reduce.py
# verdict: WA value
# group: sample
# en: all_reduce returns the sum of the ranks' gradients: divide by the number of ranks.
# zh: all_reduce 得到的是各 rank 梯度之和，还要除以 rank 数。
@@
         work.wait()
-        parameter.grad /= world
