# over: solution.py
# verdict: WA property
# group: sample
# en: `close` drops the calls since the last record.
# zh: close 丢掉了上一条记录之后的调用。
@@
-        record = self.write() if self.calls else None
+        record = None
