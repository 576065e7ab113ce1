# over: good/node_hooks.py
# verdict: WA property
# group: small
# en: AccumulateGrad is counted for the layer that uses the parameter. No operator of the layer made this node.
# zh: AccumulateGrad 计给了使用该参数的层。这个节点不是该层的算子创建的。
@@
                 continue
-            if "AccumulateGrad" in node.name():
-                continue
             self.seen.add(node)
