# over: good/functional_forward.py
# verdict: WA property
# group: count
# en: Names are not parameters: a shared one has two names, and counting by name, as in a
#   state_dict, counts it twice.
# zh: 名字不等于参数：共享的参数有两个名字，像 `state_dict` 那样按名字数，就数了两遍。
@@
-        hidden = nn.functional.linear(x, self.fc1.weight, self.fc1.bias).clamp(min=0)
-        return nn.functional.linear(hidden, self.fc2.weight, self.fc2.bias)
+        return self.fc2(torch.relu(self.fc1(x)))
@@
-    return sum(p.numel() for p in set(module.parameters()) if not trainable_only or p.requires_grad)
+    every = [p for _, p in module.named_parameters(remove_duplicate=False)]
+    return sum(p.numel() for p in every if p.requires_grad or not trainable_only)
