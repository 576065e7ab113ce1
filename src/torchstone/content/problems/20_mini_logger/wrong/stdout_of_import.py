# over: solution.py
# verdict: WA property
# group: small
# en: `sys.stdout` is looked up when the logger is made; it may be another one when a line is
#   written.
# zh: 创建日志器时就取了 sys.stdout；写行的时候它可能已经换了。
@@
-        self.stream, self.every, self.window = stream, every, window
+        self.stream = sys.stdout if stream is None else stream
+        self.every, self.window = every, window
