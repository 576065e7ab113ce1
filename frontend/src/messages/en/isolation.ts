/** What is said where code is judged and the machine cannot wall it in. */

export const isolationNotice = {
  name: "Isolation",
  confined: {
    title: "This machine isolates only to the third level of four",
    text: "The kernel refuses your files and the network to a program, but it runs beside your own processes. Your own code is judged, and the receipt says so; other people’s code is not run.",
  },
  none: {
    title: "This machine does not isolate programs",
    text: "Nothing but limits of time and memory holds a program here: judge only code that you trust. Other people’s code is not run.",
  },
  raise: "How to raise it",
  dismiss: "Judge my code all the same",
};
