# over: solution.py
# verdict: WA dtype
# group: thread
# en: Keeps the regions of all threads in one list: a region of another thread counts as an
#     outer one, and this thread's casts do not begin.
# zh: 所有线程的区域放在同一个列表里：别的线程的区域被当成外层，本线程的转换就没有开始。
@@
-import threading
@@
-class Local(threading.local):
+class Local:
