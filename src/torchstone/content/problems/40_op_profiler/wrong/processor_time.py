# over: good/wrapped_forward.py
# verdict: WA property
# group: sample
# en: The clock counts processor time. A layer that sleeps or waits seems to take nothing.
# zh: 用的是处理器时间。睡眠或等待的层看起来不耗时。
@@
-from time import perf_counter_ns
+from time import process_time_ns as perf_counter_ns
