# over: solution.py
# verdict: WA property
# group: nest
# en: Returns True from __exit__, which swallows the exception of the block.
# zh: __exit__ 返回 True，吞掉了代码块里的异常。
@@
-    def __exit__(self, *exc_info: object) -> None:
+    def __exit__(self, *exc_info: object) -> bool:
@@
             local.copies.clear()
+        return True
