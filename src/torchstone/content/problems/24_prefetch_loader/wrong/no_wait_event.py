# over: solution.py
# verdict: WA property
# group: hazard
# en: Streams are unordered: without wait_event the kernel reads before the copy has arrived.
# zh: 不同流之间没有先后；不 wait_event，核函数会读到未到达的数据。
@@
-    compute.wait_event(copied)
