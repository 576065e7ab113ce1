/** The words of the page that lists the instruments. */

export const labs = {
  title: "Labs",
  lead: "Instruments that show what PyTorch and your own code really do. All of them run on this machine.",
  terminal: "In a terminal:",
  labs: {
    xray: {
      title: "X-ray",
      answers: "Which dispatch keys does a call fall through? What does the backward pass keep? Which memory do two views share? What does torch.compile make of a line?",
    },
    explain: {
      title: "Architecture map",
      answers: "What lies between a line of Python and the kernel, layer by layer? Play a recorded call over the map and see which parts it passes.",
    },
    doctor: {
      title: "Doctor",
      answers: "Why is this training slow, on which line, and how long would a step take after the change? It reads traces of the PyTorch profiler and of Nsight Systems.",
    },
    distributed: {
      title: "Distributed training",
      answers: "Who sends what to whom in DDP and in the three stages of ZeRO? How long do ranks wait, and is the result that of one process, bit for bit?",
    },
    cudasim: {
      title: "CUDA simulator",
      answers: "Is this kernel right without a GPU at hand? It runs CUDA C++ on the processor and names the line of a race, of an access out of bounds or of a barrier that not all threads reach.",
    },
    nested: {
      title: "Nested quantized tensor",
      answers: "How much memory does a ragged batch need without padding and in eight or four bits? Which operators keep it so, and which ones unpack it?",
    },
  },
};
