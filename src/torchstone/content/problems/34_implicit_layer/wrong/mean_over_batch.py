# over: solution.py
# verdict: WA property
# group: edge
# en: The mean of the samples' residuals is taken, so one slow sample among many is missed; take
#   the largest.
# zh: 取各样本残差的平均值，漏掉了众多样本中收敛慢的那一个；应取最大值。
@@
     size = fz.flatten(1).norm(dim=1)
-    return (error / size.clamp(min=1.0)).max().item()
+    return (error / size.clamp(min=1.0)).mean().item()
 
