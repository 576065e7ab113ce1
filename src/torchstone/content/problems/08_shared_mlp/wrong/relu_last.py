# over: good/functional_forward.py
# verdict: WA value
# group: sample
# en: There is no activation after the last layer.
# zh: 最后一层后面没有激活。
@@
-        hidden = nn.functional.linear(x, self.fc1.weight, self.fc1.bias).clamp(min=0)
-        return nn.functional.linear(hidden, self.fc2.weight, self.fc2.bias)
+        return torch.relu(self.fc2(torch.relu(self.fc1(x))))
@@
-    return sum(p.numel() for p in set(module.parameters()) if not trainable_only or p.requires_grad)
+    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable_only)
