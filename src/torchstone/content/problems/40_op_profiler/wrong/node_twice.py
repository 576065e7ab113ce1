# over: solution.py
# verdict: WA property
# group: sample
# en: The engine's range of a node and the node's own range inside it are both counted.
# zh: 引擎对节点的区间与其内部节点自己的区间都计入了。
@@
-NODE = "autograd::engine::evaluate_function: "
+NODE = ("autograd::engine::evaluate_function: ", "WaitBackward", "AddmmBackward0", "MulBackward0")
@@
             for each in self._profile.kineto_results.events()
-            # An engine's range contains the node's own; a range that a layer opens is no operator.
-            if each.scope() != 1 and (each.scope() != 7 or each.name().startswith(LAYER))
+            if each.scope() != 7 or each.name().startswith(LAYER)
         ]
