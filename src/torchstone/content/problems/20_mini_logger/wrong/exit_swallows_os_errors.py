# over: solution.py
# verdict: WA property
# group: small
# en: An OSError of the body was taken for one of the stream, and swallowed.
# zh: 把代码块里的 OSError 当成流的错误吞掉了。
@@
-    def __exit__(self, *error: object) -> None:
+    def __exit__(self, kind: object, error: object, trace: object) -> bool:
         self.close()
+        return isinstance(error, OSError)
 
