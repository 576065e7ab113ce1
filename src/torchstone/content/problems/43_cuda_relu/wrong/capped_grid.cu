// over: good/thread_per_element.cu
// verdict: WA value
// group: large
// en: A grid that is capped needs a loop over the elements that have no thread of their own.
// zh: 网格一旦设了上限，没有分到线程的元素就要靠循环来处理。
@@
+// As many as old cards allow in one dimension.
 static unsigned num_blocks_for(long long n) {
-    return static_cast<unsigned>((n + 255) / 256);
+    const long long wanted = (n + 255) / 256;
+    return static_cast<unsigned>(wanted < 65535 ? wanted : 65535);
