# over: good/log_softmax_helper.py
# verdict: WA value
# group: small
# en: The mean is taken over pixels first, then over images, so images with ignored pixels weigh
#   too much. Sum everything, divide once.
# zh: 先对像素求均值再对图像求均值，含忽略像素的图像权重就偏大；应先总和，再除一次。
@@ def forward
-        loss = loss.sum()
@@ def forward
-            loss = loss / keep.sum()
-        return loss.to(logits.dtype)
+            loss = loss * weights(target, keep)
+        return loss.sum().to(logits.dtype)
@@ def backward
-            grad = grad / keep.sum().clamp(min=1)
+            grad = grad * weights(target, keep).nan_to_num(0.0)[:, None]
         return from_rows(grad, logits), None, None, None, None
+
+
+def weights(target, keep):
+    """Share a mean out: first over the pixels of an image, then over the images."""
+    images = keep.double().reshape(len(target) if target.ndim > 1 else 1, -1)
+    num_pixels = images.sum(1, keepdim=True)
+    num_images = (num_pixels > 0).sum()
+    return (images / num_pixels.clamp(min=1) / num_images).reshape(-1)
