# over: solution.py
# verdict: WA property
# group: edge
# en: A number is forgotten when its node has run. With retain_graph the node runs again.
# zh: 节点运行一次后就忘掉了编号的主人。用 retain_graph 时节点会再次运行。
@@
-                if owner := owners.get(number):
+                if owner := owners.pop(number, None):
                     owner.backward_us += (end - start) / 1e3
