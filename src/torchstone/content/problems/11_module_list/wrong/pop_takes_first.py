# over: solution.py
# verdict: WA property
# group: small
# en: pop() without an index takes the last item, as that of a list does.
# zh: 不带下标的 pop() 取最后一项，与 list 相同。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-    def pop(self, index: int = -1) -> nn.Module | None:
+    def pop(self, index: int = 0) -> nn.Module | None:
