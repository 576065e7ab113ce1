# over: solution.py
# verdict: WA property
# group: edge
# en: A number belongs to the first operator that carries it. An operator without a node carries the number that the next node will get.
# zh: 把编号归给最先带有它的算子。不产生节点的算子带的是下一个节点的编号。
@@
                     # Without a node the number stays the next one's: the last owner is right.
-                    owners[number] = owner
+                    owners.setdefault(number, owner)
