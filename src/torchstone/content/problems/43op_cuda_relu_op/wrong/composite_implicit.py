# over: good/library_define.py
# verdict: RTE | WA grad
# group: edge
# en: A composite operator gets its gradient from those that it calls, and a raw kernel is none.
# zh: 复合算子的梯度来自它所调用的算子，而核函数直接读写内存，不是算子。
@@
-library.impl("relu", forward_cpu, "CPU")
-library.impl("relu", like, "Meta")
+library.impl("relu", forward_cpu, "CompositeImplicitAutograd")
@@
-torch.library.register_autograd("ts43::relu", pull, setup_context=keep, lib=library)
