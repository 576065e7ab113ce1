# over: solution.py
# verdict: WA grad
# group: sample
# en: The weights are results as well: who asks for them may differentiate them.
# zh: 权重也是结果：要了权重的人可能会对它求导。
@@
     if return_weights:
-        return select(query, points, values, temperature, k)
+        found = select(query, points, values, temperature, k)
+        return found._replace(weights=found.weights.detach())
