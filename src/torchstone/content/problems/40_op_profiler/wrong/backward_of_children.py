# over: solution.py
# verdict: WA property
# group: sample
# en: The nodes of children are counted for the layers around them, too.
# zh: 子层的反向节点也计给了外面的各层。
@@
-        owners: dict[int, LayerStat | None] = {}
+        owners: dict[int, list[LayerStat]] = {}
@@
-                if owner := owners.get(number):
-                    owner.backward_us += (end - start) / 1e3
+                for each in owners.get(number, []):
+                    each.backward_us += (end - start) / 1e3
             else:
@@
-                    owners[number] = owner
+                    owners[number] = [each for _, each in around if each]
                 if owner and around[-1][1] and name.startswith("aten::"):
