/** The notice of a machine that cannot isolate programs fully. */

export const isolationNotice = {
  name: "Isolation",
  confined: {
    title: "This machine isolates only to the third level of four",
    text: "The kernel denies programs your files and the network, but they run beside your own processes. Your own code is judged, and the receipt says so. Other people’s code does not run.",
  },
  none: {
    title: "This machine does not isolate programs",
    text: "Programs have limits of time and memory only: judge only code that you trust. Other people’s code does not run.",
  },
  raise: "How to raise it",
  dismiss: "Judge my code anyway",
};
