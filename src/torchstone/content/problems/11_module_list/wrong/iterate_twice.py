# over: solution.py
# verdict: WA property
# group: small
# en: A generator gives its items once: after the check nothing is left to add. Make a list first.
# zh: 生成器只给一次元素：检查完就没有可加的了。先转成 list。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-    def _register(self, items: Iterable[nn.Module | None]) -> None:
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
-        items = list(items)
+    def _check(self, items: Iterable[nn.Module | None]) -> None:
@@
                 raise TypeError(f"MyModuleList: {type(item).__name__} is not a module or None.")
+
+    def _register(self, items: Iterable[nn.Module | None]) -> None:
+        self._check(items)
@@
     def extend(self, modules: Iterable[nn.Module | None]) -> Self:
+        self._check(modules)
