# over: solution.py
# verdict: WA property
# group: edge
# en: Operators outside of all layers take no numbers: a node of the loss falls to the layer that ran an operator without a node before it.
# zh: 层外的算子不登记编号：损失的节点落到了此前运行过不产生节点的算子的那一层。
@@
-                if number >= 0:
+                if number >= 0 and owner:
                     # Without a node the number stays the next one's: the last owner is right.
