# over: good/running_maximum.py
# verdict: WA value
# group: sample
# en: All closures see the last name of the loop; bind it with a default argument or a factory.
# zh: 闭包绑定的是变量而不是值，循环结束后都指向最后一个名字；用默认参数或工厂函数绑定。
@@
-import functools
@@ def __init__
-                hook = functools.partial(self._record, name)
+                hook = lambda m, gi, go: self._record(name, m, gi, go)  # noqa: B023, E731
