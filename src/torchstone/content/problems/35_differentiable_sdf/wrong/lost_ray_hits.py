# over: solution.py
# verdict: WA value | WA property
# group: edge
# en: A ray that is lost stays lost, even if its last step ended on a surface.
# zh: 丢失的光线不再算数，即使最后一步恰好落在曲面上。
@@
-        hit |= alive & (distance < tol)
+        hit |= distance < tol
