/** Where the operators of a roofline are, and the roofs. */

/** An operator as the report has it. */
export type Operator = {
  readonly name: string;
  readonly shape: readonly (readonly number[])[];
  readonly dtype: string;
  readonly calls: number;
  readonly flops: number;
  readonly bytes: number;
  readonly intensity: number;
  readonly ridge: number | null;
  readonly time_us: number;
  readonly efficiency: number | null;
  readonly bound: "compute" | "memory" | "mixed" | "latency" | "unknown";
  readonly line: string | null;
};
export type Roofline = { readonly device: string; readonly ridge: number | null; readonly modelled: number | null; readonly ops: readonly Operator[] };
export type Spot = { readonly at: number; readonly x: number; readonly y: number; readonly radius: number };
export type Roof = { readonly label: string; readonly ridge: number; readonly path: string; readonly x: number; readonly y: number };

const [LEFT, RIGHT, TOP, FOOT] = [64, 16, 20, 40];
const [LEAST_RADIUS, MOST_RADIUS] = [3, 18];

export const reached = (each: Operator) => (each.time_us > 0 ? (each.flops / each.time_us) * 1e6 : 0);

export class RooflinePlot {
  readonly spots: readonly Spot[];
  readonly roofs: readonly Roof[];
  readonly xTicks: readonly number[];
  readonly yTicks: readonly number[];
  readonly left = LEFT;
  readonly right: number;
  readonly bottom: number;
  readonly top = TOP;
  #x: readonly [number, number];
  #y: readonly [number, number];

  constructor(ops: readonly Operator[], bandwidth: number | null, width: number, height: number) {
    this.right = Math.max(width - RIGHT, LEFT + 100);
    this.bottom = height - FOOT;
    // What computes nothing has no place on a logarithmic axis.
    const drawn = ops.flatMap((each, at) => (each.intensity > 0 && reached(each) > 0 ? [{ each, at }] : []));
    const ridges = bandwidth ? [...new Set(ops.flatMap((each) => (each.ridge ? [each.ridge] : [])))].sort((a, b) => a - b) : [];
    const peak = (ridge: number) => ridge * bandwidth!;
    this.#x = around([...drawn.map(({ each }) => each.intensity), ...ridges]);
    this.#y = around([...drawn.map(({ each }) => reached(each)), ...ridges.map(peak)]);
    const most = Math.max(1, ...drawn.map(({ each }) => each.time_us));
    this.spots = drawn.map(({ each, at }) => ({
      at,
      x: this.x(each.intensity),
      y: this.y(reached(each)),
      radius: Math.max(LEAST_RADIUS, MOST_RADIUS * Math.sqrt(each.time_us / most)),
    }));
    this.roofs = ridges.map((ridge) => {
      const types = [...new Set(ops.filter((each) => each.ridge === ridge).map((each) => each.dtype))];
      // The slope begins where it comes into the picture.
      const from = Math.max(this.#x[0], Math.log10(10 ** this.#y[0] / bandwidth!));
      const [x, y] = [this.x(ridge), this.y(peak(ridge))];
      const path = `M${round(this.x(10 ** from))} ${round(this.y(10 ** from * bandwidth!))}L${round(x)} ${round(y)}H${this.right}`;
      return { label: types.join(", "), ridge, path, x, y };
    });
    this.xTicks = powers(this.#x);
    this.yTicks = powers(this.#y);
  }

  x(intensity: number): number {
    return LEFT + ((Math.log10(intensity) - this.#x[0]) / (this.#x[1] - this.#x[0])) * (this.right - LEFT);
  }

  y(flops: number): number {
    return this.bottom - ((Math.log10(flops) - this.#y[0]) / (this.#y[1] - this.#y[0])) * (this.bottom - TOP);
  }
}

const round = (value: number) => Math.round(value * 10) / 10;

/** The powers of ten around some values. */
function around(values: readonly number[]): readonly [number, number] {
  if (!values.length) return [0, 3];
  const [low, high] = [Math.min(...values), Math.max(...values)].map(Math.log10) as [number, number];
  return [Math.floor(low - 0.2), Math.ceil(high + 0.2)];
}

function powers([from, to]: readonly [number, number]): readonly number[] {
  const step = Math.ceil((to - from) / 8);
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => 10 ** (from + index * step));
}
