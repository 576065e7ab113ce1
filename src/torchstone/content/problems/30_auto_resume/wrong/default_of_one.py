# over: solution.py
# verdict: WA property
# group: manager
# en: keep_last is 3 where nothing else is said.
# zh: 没有给出 keep_last 时，它是 3。
@@
-    def __init__(self, directory: Any, *, keep_last: int = 3) -> None:
+    def __init__(self, directory: Any, *, keep_last: int = 1) -> None:
