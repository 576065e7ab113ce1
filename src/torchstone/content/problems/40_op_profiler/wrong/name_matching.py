# over: solution.py
# verdict: WA property
# group: edge
# en: Nodes are given to the first layer that runs an operator of their name. Names repeat; sequence numbers do not.
# zh: 按名字把反向节点归给第一个运行同名算子的层。名字会重复，sequence number 不会。
@@
-        owners: dict[int, LayerStat | None] = {}
+        owners: dict[str, LayerStat | None] = {}
@@
-                if owner := owners.get(number):
+                if owner := owners.get(name.removeprefix(NODE).rstrip("0").lower()):
                     owner.backward_us += (end - start) / 1e3
@@
                 if number >= 0:
-                    # Without a node the number stays the next one's: the last owner is right.
-                    owners[number] = owner
+                    owners.setdefault(name.removeprefix("aten::").lower() + "backward", owner)
