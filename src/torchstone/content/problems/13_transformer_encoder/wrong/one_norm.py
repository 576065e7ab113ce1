# over: solution.py
# verdict: WA value | WA property
# group: sample
# en: Two sublayers have two normalisations, each with parameters of its own; here both use the
#   first.
# zh: 两个子层各有自己的归一化和参数；这里两处用的都是第一个。
@@
-            return x + self.feed_forward(self.norm2(x))
+            return x + self.feed_forward(self.norm1(x))
@@
-        return self.norm2(x + self.feed_forward(x))
+        return self.norm1(x + self.feed_forward(x))
