# over: solution.py
# verdict: WA property
# group: small
# en: A true result of `__exit__` swallows the exception of the body.
# zh: __exit__ 返回真值，吞掉了代码块的异常。
@@
-    def __exit__(self, *error: object) -> None:
+    def __exit__(self, *error: object) -> bool:
         self.close()
+        return True
