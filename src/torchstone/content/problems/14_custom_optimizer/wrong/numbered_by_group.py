# over: solution.py
# verdict: WA property | WA value | RTE
# group: resume
# en: The numbers of the parameters run on over the groups; started anew in each, they collide.
# zh: 参数的编号跨参数组连续递增；每组都从 0 开始就会重复。
@@
-            first = len(numbers)
-            numbers |= {id(p): first + i for i, p in enumerate(group["params"])}
+            numbers |= {id(p): i for i, p in enumerate(group["params"])}
