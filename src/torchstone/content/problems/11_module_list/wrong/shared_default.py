# over: solution.py
# verdict: WA property
# group: sample
# en: A default that is made once in the signature is shared by all lists that are built without
#   an argument.
# zh: 写在签名里的默认值只创建一次，所有不带参数构造的列表都共用它。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
+    EMPTY: dict[str, nn.Module | None] = {}  # noqa: RUF012
@@
-        # Not the truth value: an iterable may be falsy and have items.
+        if modules is None:
+            self._modules = MyModuleList.EMPTY
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        self._modules = {str(position): item for position, item in enumerate(items)}
+        self._modules.clear()
+        self._modules.update((str(position), item) for position, item in enumerate(items))
