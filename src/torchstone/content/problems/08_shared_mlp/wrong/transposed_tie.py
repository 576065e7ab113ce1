# over: good/functional_forward.py
# verdict: WA value
# group: sample
# en: Here the same matrix is used twice; the transpose belongs to autoencoders.
# zh: 本题两层用同一个矩阵，转置是自编码器的做法。
@@
-        hidden = nn.functional.linear(x, self.fc1.weight, self.fc1.bias).clamp(min=0)
-        return nn.functional.linear(hidden, self.fc2.weight, self.fc2.bias)
+        hidden = torch.relu(self.fc1(x))
+        return nn.functional.linear(hidden, self.fc1.weight.T, self.fc2.bias)
@@
-    return sum(p.numel() for p in set(module.parameters()) if not trainable_only or p.requires_grad)
+    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
