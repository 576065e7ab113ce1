/** The words of the page that diagnoses a recorded run, until one is opened. */

export const doctor = {
  title: "Doctor",
  lead: "Drop what the PyTorch profiler or Nsight Systems has recorded. The page says what is slow, on which line, what to do, and what the step would then take.",
  drop: {
    title: "Drop a trace here",
    or: "or",
    choose: "Choose files",
    another: "Open another run",
    kinds: ".json, .json.gz or an exported .sqlite; of several ranks, all files together",
    stays: "The file stays on this machine: it is copied into your data folder, read, and removed at once.",
    record: "How to record one",
    code: `with torch.profiler.profile(with_stack=True, record_shapes=True) as profiler:
    for _ in range(5):
        train_step()
        profiler.step()
profiler.export_chrome_trace("trace.json.gz")`,
    recordWhy: "Five steps are enough. Stacks name the line, shapes give the roofline.",
  },
  state: {
    copying: (name: string, size: string) => `Copying ${name}, ${size}.`,
    reading: (name: string) => `Reading ${name}.`,
    judging: "The time is accounted for; the rules are looking at it.",
    gone: "The server did not answer. The file on your disk is untouched; open it again.",
    folder: "That is a folder. Drop the files in it, one for each rank.",
    cancel: "Cancel",
    cancelled: "Cancelled. The copy is removed.",
  },
  refused: "This file gives no diagnosis",
  terminal: "The same in a terminal: ",
};
