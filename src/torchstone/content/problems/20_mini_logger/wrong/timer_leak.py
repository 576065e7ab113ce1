# over: solution.py
# verdict: WA value
# group: timer
# en: Without `finally` the time of a block that raises is lost; a step that fails took time, too.
# zh: 没有 finally，抛异常的代码块的时间就丢了；失败的步骤同样耗时。
@@
-        try:
-            yield
-        finally:
+        yield
+        if True:
