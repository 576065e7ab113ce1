# over: solution.py
# verdict: WA property
# group: small
# en: A tuple of one input comes back as a bare tensor.
# zh: 传入只含一个张量的元组，却返回了裸张量。
@@
         products = derivatives(slope, xs, create_graph)
-    return products[0] if is_single else products
+    return products[0] if len(products) == 1 else products
 
