# over: solution.py
# verdict: WA value
# group: sample
# en: Light must reach sample i first: the sum goes over j < i.
# zh: 光先要到达样本 i：求和只对 j < i。
@@
-    weights = transmittance * -torch.expm1(-tau)
+    weights = torch.exp(-total[:, 1:]) * -torch.expm1(-tau)
