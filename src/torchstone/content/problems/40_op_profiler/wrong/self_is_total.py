# over: solution.py
# verdict: WA property
# group: sample
# en: The children are not subtracted. The time of a layer itself is what remains after the calls directly inside it.
# zh: 没有减去子层。自身时间是扣除直接子调用之后剩下的时间。
@@
     row.self_us += duration
-    if callers:
-        callers[-1].self_us -= duration
     if not any(each is row for each in callers):
