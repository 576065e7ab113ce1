# over: solution.py
# verdict: WA value
# group: sample
# en: The first number only makes the subtraction exact; the mean is subtracted afterwards.
# zh: 减去第一个数只是为了让减法没有舍入；之后还要减均值。
@@
-    deviation -= deviation.mean(-1, keepdim=True)
