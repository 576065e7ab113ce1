# over: solution.py
# verdict: WA value
# group: small
# en: The windows are an attribute of the class: two loggers mix their values.
# zh: 窗口是类属性：两个日志器的数值混在一起。
@@
 class MiniLogger:
+    windows: dict[str, deque] = {}  # noqa: RUF012
+
@@
-        self.windows: dict[str, deque] = {}
