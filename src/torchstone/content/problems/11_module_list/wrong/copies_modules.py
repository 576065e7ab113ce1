# over: solution.py
# verdict: WA property
# group: sample
# en: A container holds references. A copy breaks the sharing of weights, and the optimiser goes
#   on with the original.
# zh: 容器保存的是引用。复制会破坏权重共享，而优化器更新的仍是原来的模块。
@@
+import copy
 import operator
@@
-    """Hold modules in a list; item i is the child that is registered under str(i)."""
-
@@
-        # Not the truth value: an iterable may be falsy and have items.
@@
-        # Everything is checked before anything changes. A new registry is in the order of its keys.
@@
-        self._register([*self, *modules])
+        self._register([*self, *copy.deepcopy(list(modules))])
