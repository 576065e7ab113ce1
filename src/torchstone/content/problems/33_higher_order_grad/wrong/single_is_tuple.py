# over: solution.py
# verdict: WA property
# group: sample
# en: A single tensor comes back as a tuple of one.
# zh: 传入单个张量，却返回了只含一个元素的元组。
@@
         products = derivatives(slope, xs, create_graph)
-    return products[0] if is_single else products
+    return products
 
