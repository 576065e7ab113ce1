# over: solution.py
# verdict: WA value
# group: sample
# en: Light must reach sample i first: the sum goes over j < i.
# zh: 光先要到达样本 i：求和只对 j < i。
@@
-    transmittance = torch.exp(-total[:, :-1])
+    transmittance = torch.exp(-total[:, 1:])
