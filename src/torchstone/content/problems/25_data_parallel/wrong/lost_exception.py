# over: solution.py
# verdict: WA property
# group: error
# en: An exception in a thread dies there unless you carry it out.
# zh: 线程里的异常不带出来就消失了。
@@
-    if errors:
-        raise errors[min(errors)]
