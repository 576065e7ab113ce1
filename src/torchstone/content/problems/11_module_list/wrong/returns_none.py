# over: solution.py
# verdict: WA property
# group: sample
# en: append and extend return the list, as those of nn.ModuleList do, so that calls can be
#   chained.
# zh: append 和 extend 要像 `nn.ModuleList` 那样返回列表自身，以便链式调用。
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        return self.extend([module])
+        self.extend([module])
