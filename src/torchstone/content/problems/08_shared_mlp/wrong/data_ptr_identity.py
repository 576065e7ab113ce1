# over: good/functional_forward.py
# verdict: WA property
# group: count
# en: Empty and meta tensors have no pointer, and two Parameters may share one; the object's
#   identity counts.
# zh: 空张量和 meta 张量没有地址，两个 Parameter 也可能共用一个地址；要按对象身份去重。
@@
-        hidden = nn.functional.linear(x, self.fc1.weight, self.fc1.bias).clamp(min=0)
-        return nn.functional.linear(hidden, self.fc2.weight, self.fc2.bias)
+        return self.fc2(torch.relu(self.fc1(x)))
@@
-    return sum(p.numel() for p in set(module.parameters()) if not trainable_only or p.requires_grad)
+    seen = {p.data_ptr(): p for p in module.parameters() if p.requires_grad or not trainable_only}
+    return sum(p.numel() for p in seen.values())
