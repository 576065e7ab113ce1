# over: solution.py
# verdict: WA property
# group: sample
# en: Lets sys.setprofile trace every call of Python.
# zh: 用 sys.setprofile 跟踪每一次 Python 调用。
@@
+import sys
 from dataclasses import dataclass, field
@@
     def __exit__(self, *exc) -> None:
+        sys.setprofile(None)
         for handle in self._handles:
@@
     def _begin(self, number: int, module: nn.Module, args: tuple) -> None:
+        sys.setprofile(lambda frame, event, arg: None)
         # A label of the whole number: names may contain each other.
