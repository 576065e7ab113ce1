/** The words of the problem page, without the editor and the verdict. */

const s = (count: number) => (count === 1 ? "" : "s");
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six"];
const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth"];
const say = (count: number) => NUMBERS[count] ?? `${count}`;

export const problem = {
  title: {
    marks: { busy: "…", passed: "✓", failed: "✗" },
    page: (mark: string, id: string, title: string) => `${mark}${mark ? " " : ""}${id} ${title} · Torchstone`,
    loading: (id: string) => `${id} · Torchstone`,
  },
  head: {
    mark: "Mark this problem",
    part: (part: number) => `Part ${part}`,
    stars: (stars: number) => `${stars} of 5 stars`,
    minutes: (minutes: number) => `about ${minutes} min`,
    /** Before the problems it builds on that are not proven. */
    needs: "Builds on",
    unproven: (count: number) => (count === 1 ? "not proven yet" : "not all proven yet"),
    neighbours: "Problems before and after",
    previous: (id: string, title: string) => `Previous: ${id} ${title}`,
    next: (id: string, title: string) => `Next: ${id} ${title}`,
    due: "Due for review: write it once more",
    comma: ", ",
    state: {
      proven: (passed: number, planned: number) => `proven ${passed}/${planned}`,
      provenBare: "proven",
      last: (code: string) => `last ${code}`,
      begun: "begun, nothing submitted",
      untouched: "untouched",
    },
  },
  places: { label: "Places on this page", statement: "Statement", code: "Code", verdict: "Verdict" },
  panes: {
    columns: "Width of the statement",
    rows: "Height of the editor",
    maximise: {
      statement: "Statement in full size",
      code: "Editor in full size",
      verdict: "Verdict in full size",
    },
  },
  tabs: {
    label: "About this problem",
    statement: "Statement",
    submissions: "Submissions",
    editorial: "Editorial",
    notes: "Notes",
    locked: "locked",
  },
  hints: {
    title: "Hints",
    /** When hints are free, it does not matter how many were used. */
    count: (all: number, used?: number) => `${say(all)} rung${s(all)}${used === undefined ? "" : `, ${say(used)} used`}`,
    rungs: { nudge: "Nudge", concept: "Concept", shape: "Shape", near: "Near-solution" },
    reveal: (number: number) => `Reveal the ${ORDINALS[number - 1] ?? `${number}th`}`,
    after: "after the rung above",
    free: "The problem is settled, so hints cost nothing now.",
    failed: "The hint could not be opened; nothing was counted.",
  },
  /** What stands in the record of the bank: programs whose verdicts are known. */
  bankProof: (right: number, wrong: number, cheats: number, date: string) =>
    `How we know that this problem judges well: on ${date} it accepted ${right} right answer${s(right)} and refused ${wrong} wrong one${s(wrong)} and ${cheats} cheat${s(cheats)}, each for its reason.`,
  submissions: {
    none: "There are no submissions yet. Each submission and run appears here with its text and report.",
    caption: "Submissions, newest first",
    columns: { pick: "Compare", number: "No.", verdict: "Verdict", kind: "Kind", time: "Time", when: "When" },
    kinds: { submit: "all cases", run: "samples" },
    /** In place of the kind: the program was not judged. */
    noTry: "no try",
    states: { queued: "queued", running: "judging", cancelled: "cancelled", interrupted: "interrupted", done: "done" },
    /** In the list, where both kinds are counted apart, and in a sentence. */
    number: { submit: (number: number) => `${number}`, run: (number: number) => `run ${number}` },
    name: { submit: (number: number) => `${number}`, run: (number: number) => `run ${number}` },
    show: {
      submit: (number: number) => `Submission ${number}: show its report and text`,
      run: (number: number) => `Run ${number} of the samples: show its report and text`,
    },
    pick: {
      submit: (number: number) => `Compare submission ${number}`,
      run: (number: number) => `Compare run ${number} of the samples`,
    },
    howToCompare: "Tick any two to compare their texts.",
    comparing: (older: string, newer: string) => `From ${older} to ${newer}`,
    stop: "Close the comparison",
    source: {
      submit: (number: number) => `Text of submission ${number}`,
      run: (number: number) => `Text of run ${number} of the samples`,
    },
    filter: {
      label: "Which are listed",
      all: "All",
      submit: (count: number) => `Submissions ${count}`,
      run: (count: number) => `Runs of the samples ${count}`,
    },
    noneOfKind: "There are none of this kind.",
    /** A run of the samples has no verdict. */
    run: { pass: "samples pass", fail: "on samples" },
    use: "Use this text",
    used: "It is in the editor. Undo restores the previous text.",
    more: (count: number) => `Show ${count} more`,
    shown: (shown: number, total: number) => `${shown} of ${total}`,
  },
  editorial: {
    lockedTitle: "Locked until you have settled this problem",
    locked: "An accepted submission opens the editorial and the model solutions. Giving up does, too.",
    dueTitle: "Locked until you have written it again",
    due: "This problem is due for review. Write it once more without help; an accepted submission opens this again.",
    costs: "Giving up is rated Again: the problem comes back soon, and you must write it without help.",
    giveUp: "Give up…",
    ask: {
      title: "Give up and read the solutions?",
      text: "Your text stays. The problem counts as not known and comes back soon.",
      yes: "Give up, show the solutions",
      no: "Keep trying",
    },
    gaveUp: "You gave up on this problem",
    failed: "Nothing was opened and nothing was counted.",
    solutions: (count: number) => (count === 1 ? "Model solution" : `${count} model solutions`),
    library: "In the library",
    lines: (file: string, line: number) => `${file}, line ${line}`,
    use: "Use this text",
  },
  notes: {
    label: "Your notes on this problem",
    placeholder: "What went wrong, what to remember. Only you read this.",
    kept: " Plain text, kept with your drafts.",
    states: {
      clean: "",
      unsaved: "Not saved yet.",
      saving: "Saving.",
      saved: (time: string) => `Saved ${time}.`,
      offline: "Kept in this browser.",
      refused: "Not saved.",
      conflict: "Differs from the file.",
    },
  },
  bench: {
    editor: (file: string) => `Editor: ${file}`,
    languages: { python: "Python", cpp: "C++", cuda: "CUDA C++", package: "Python package" },
    torch: (version: string) => `torch ${version}`,
    starter: "Starter, not changed yet",
    draft: {
      clean: "",
      unsaved: "Draft not saved yet",
      saving: "Saving the draft",
      saved: (time: string) => `Draft saved ${time}`,
      offline: "Draft kept in this browser",
      refused: "Draft not saved",
      conflict: "Draft differs from the file",
    },
    first: "Replace the lines that raise NotImplementedError, then submit.",
    /** What Python's parser says of the text while it is written. */
    typo: (line: number | null, error: string) => (line === null ? error : `Line ${line}: ${error}`),
    run: "Run samples",
    own: "Own input",
    submit: "Submit",
    judging: "Judging",
    cancel: "Cancel",
    anew: "Start over…",
    askAnew: {
      title: "Start over from the starter?",
      text: "The editor gets the starter again. Undo brings your text back.",
      yes: "Start over",
      no: "Keep my text",
    },
    keys: "Keys",
    keyRows: {
      submit: "submit",
      run: "run the samples",
      save: "save the draft now",
      find: "find in the text",
      leave: "leave the editor",
      undo: "undo",
      focus: "let Tab move on, or indent again",
      mark: "go to the next line that a finding marks",
      arrows: "in tabs, in a figure, on the line between two panes",
      search: "search, outside of text fields",
      keys: "this list, outside of text fields",
    },
  },
  past: {
    text: "A report from the history; the editor may hold another text.",
    /** What the page opens with. */
    last: (when: string) => `The last verdict, ${when}; the editor may hold another text.`,
    run: (when: string) => `The last run of the samples, ${when}; the editor may hold another text.`,
    away: "Put it away",
  },
  own: {
    label: "Statements of Python, run with your text; the last expression is the value. Enter evaluates, Shift Enter is a new line.",
    go: "Evaluate",
    going: "Evaluating",
    empty: "Write an expression first.",
  },
};
