# over: solution.py
# verdict: WA property
# group: sample
# en: There is no key "-1": add the length to a negative index before it becomes a key.
# zh: 没有 "-1" 这个键：负下标要先加上长度，再变成键。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        return self._modules[str(self._position(idx))]
+        return self._modules[str(operator.index(idx))]
