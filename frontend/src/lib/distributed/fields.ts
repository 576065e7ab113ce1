/** Which field of a form a refusal is about. */

const FIELDS: readonly (readonly [RegExp, string])[] = [
  [/\.(world|too_many_ranks)/, "world"],
  [/\.choice/, "parallel"],
  [/\.(rate|link|speed_link)/, "link"],
  [/\.(speed|slow_speed)/, "gflops"],
  [/\.slow_rank/, "slow"],
  [/\.(too_many_steps|number)/, "steps"],
];

/** Return the name of the field; undefined if the refusal is about none, or about all. */
export function fieldOf(code: string): string | undefined {
  return FIELDS.find(([pattern]) => pattern.test(code))?.[1];
}
