# over: solution.py
# verdict: WA property
# group: sample
# en: The operators of the children are counted as those of the layer itself.
# zh: 把子层的算子也算作该层自己的。
@@
                 if owner and around[-1][1] and name.startswith("aten::"):
-                    owner.ops[name] = owner.ops.get(name, 0) + 1
+                    for each in {id(each): each for _, each in around if each}.values():
+                        each.ops[name] = each.ops.get(name, 0) + 1
