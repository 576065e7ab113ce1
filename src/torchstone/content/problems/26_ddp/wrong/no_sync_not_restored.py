# over: solution.py
# verdict: WA property
# group: basic
# en: An exception in the body must restore the flag as well: try and finally.
# zh: with 的主体抛出异常时也要恢复标志：用 try/finally。
@@
-        try:
-            yield
-        finally:
-            self.syncs = before
+        yield
+        self.syncs = before
