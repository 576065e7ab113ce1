# over: solution.py
# verdict: WA property
# group: sample
# en: Grandchildren are subtracted, too. They are inside the child already, and times become negative.
# zh: 把孙层也减去了。孙层已含在子层内，重复相减会得到负数。
@@
     row.self_us += duration
-    if callers:
-        callers[-1].self_us -= duration
+    for caller in callers:
+        caller.self_us -= duration
     if not any(each is row for each in callers):
