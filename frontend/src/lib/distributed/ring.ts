/** A ring all-reduce: what each rank holds of each chunk, step by step. */

/** The ranks whose values are added, in the order of the sum. */
export type Sum = readonly number[];
export type Move = { readonly from: number; readonly to: number; readonly chunk: number };
export type RingStep = {
  readonly phase: "begin" | "reduce" | "gather";
  /** By rank, then by chunk. */
  readonly held: readonly (readonly Sum[])[];
  readonly moves: readonly Move[];
};

/** All states from the beginning on: N − 1 steps that add, then N − 1 that pass on. */
export function ringSteps(size: number): readonly RingStep[] {
  const ranks = Array.from({ length: size }, (_, rank) => rank);
  let held: (readonly Sum[])[] = ranks.map((rank) => ranks.map(() => [rank]));
  const steps: RingStep[] = [{ phase: "begin", held, moves: [] }];
  const at = (number: number) => ((number % size) + size) % size;
  for (let step = 0; step < 2 * (size - 1); step++) {
    const isReduce = step < size - 1;
    const moves = ranks.map((from) => ({ from, to: at(from + 1), chunk: at(from - step + (isReduce ? 0 : size)) }));
    const before = held;
    held = before.map((row) => [...row]);
    for (const { from, to, chunk } of moves) {
      const came = before[from]![chunk]!;
      held[to] = held[to]!.map((sum, index) => (index !== chunk ? sum : isReduce ? [...came, ...sum] : came));
    }
    steps.push({ phase: isReduce ? "reduce" : "gather", held, moves });
  }
  return steps;
}
