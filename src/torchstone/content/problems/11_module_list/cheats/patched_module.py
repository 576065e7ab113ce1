# over: solution.py
# verdict: WA property
# en: Replaces a method of nn.Module for the whole process; the list itself is right.
# zh: 为整个进程替换 `nn.Module` 的方法；列表本身倒是对的。
@@
 from torch import nn

+original = nn.Module.register_module
+
+
+def register_module(self: nn.Module, name: str, module: nn.Module | None) -> None:
+    original(self, name, module)
+
+
+nn.Module.register_module = register_module
+
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
