# over: solution.py
# verdict: WA property
# group: sample
# en: The stream belongs to the caller, who may still need it; `close` must not close it.
# zh: 流属于调用者，之后可能还要用；close 不得关闭它。
@@
         self.is_closed = True
+        if self.stream is not None:
+            self.stream.close()
