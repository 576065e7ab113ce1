# over: solution.py
# verdict: WA property
# group: errors
# en: A sequence raises IndexError beyond its ends; callers do not expect a KeyError.
# zh: 序列越界应当抛 IndexError；调用方不会预料到 KeyError。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        return self._modules[str(self._position(idx))]
+        idx = operator.index(idx)
+        return self._modules[str(idx + len(self) if idx < 0 else idx)]
