# over: good/saved_tensors_hooks.py
# verdict: WA property
# group: small
# en: Each saved tensor starts a recomputation of its own; one recomputation gives all tensors
#   of the segment.
# zh: 每取一个保存的张量就重算一次；一段只需重算一次，就能给出它的全部张量。
@@
-        if slot not in self.filled:
-            self.refill()
+        self.refill()
