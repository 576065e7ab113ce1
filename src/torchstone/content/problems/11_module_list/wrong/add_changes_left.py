# over: solution.py
# verdict: WA property
# group: small
# en: a + b makes a new list; what changes a is a += b.
# zh: a + b 产生新列表；会改变 a 的是 a += b。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        return MyModuleList([*self, *other])
+        return self.extend(other)
