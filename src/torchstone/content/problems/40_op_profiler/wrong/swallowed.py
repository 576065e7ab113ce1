# over: solution.py
# verdict: WA property
# group: edge
# en: __exit__ returns True, and the exception of the block is lost.
# zh: __exit__ 返回 True，块内的异常就此丢失。
@@
-    def __exit__(self, *exc) -> None:
+    def __exit__(self, *exc) -> bool:
@@
             self._profile.__exit__(None, None, None)
+        return True
