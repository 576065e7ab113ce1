/** The scenes of the x-ray, as `torchstone xray --json` prints them (schema 1). */

export type SceneName = "dispatch" | "graph" | "storage" | "compile" | "memory";
export const SCENES: readonly SceneName[] = ["dispatch", "graph", "storage", "compile", "memory"];

type Counted = { readonly what: string; readonly count: number };
export type Raised = { readonly type: string; readonly message: string; readonly line: number | null };

type Head = {
  readonly torch: string;
  readonly source: { readonly file: string; readonly lines: number };
  readonly state: "live" | "static" | "absent";
  readonly why: string | null;
  readonly fidelity: { readonly compared: number; readonly equal: number };
  readonly deterministic: boolean;
  readonly truncated: Readonly<Record<string, number>>;
  readonly not_followed: readonly Counted[];
  readonly raised: Raised | null;
  readonly stdout: { readonly text: string; readonly bytes: number };
};

export type Stop = {
  readonly op: string;
  readonly key: string;
  readonly kernel: string;
  readonly alias: string | null;
  readonly opaque: string | null;
  readonly line: number | null;
  readonly args: readonly {
    readonly name: string;
    readonly shape: readonly (number | string)[] | null;
    readonly dtype: string;
    readonly keys: readonly string[];
  }[];
  readonly registered: string | null;
  /** Computed from the table, not observed. */
  readonly skipped: readonly string[];
  readonly children: readonly Stop[];
  readonly raised: string | null;
};
export type Mode = { readonly calls: readonly Stop[]; readonly stops: number; readonly raised: Raised | null };
export type DispatchScene = Head & {
  readonly scene: "dispatch";
  readonly calls: readonly Stop[];
  readonly stops: number;
  readonly modes: Readonly<Record<string, Mode>>;
};

export type Saved = {
  readonly state: "live" | "freed" | "modified" | "packed";
  readonly words?: string;
  /** What is not known of a saved tensor that cannot be read is null. */
  readonly shape: readonly number[] | null;
  readonly dtype: string | null;
  readonly bytes: number | null;
  readonly storage: string | null;
  readonly version_saved: number | null;
  readonly version_now: number | null;
  readonly is_parameter: boolean;
};
export type GraphNode = {
  readonly id: number;
  readonly name: string;
  readonly leaf: string | null;
  readonly module: string | null;
  readonly line: number | null;
  readonly saved: Readonly<Record<string, Saved>>;
};
export type GraphScene = Head & {
  readonly scene: "graph";
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly (readonly [number, number, number, number])[];
  readonly order: readonly number[];
  readonly totals: { readonly saved_bytes: number; readonly distinct_bytes: number; readonly activation_bytes: number };
};

export type View = {
  readonly name: string;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  readonly offset: number;
  readonly dtype: string;
  readonly base: string | null;
  readonly is_view: boolean;
  readonly version: number;
  readonly overlaps: boolean;
  readonly cells: readonly number[] | null;
};
export type Storage = {
  readonly id: string;
  readonly bytes: number;
  readonly shared: boolean;
  readonly cow: boolean;
  readonly views: readonly View[];
};
export type StorageScene = Head & {
  readonly scene: "storage";
  readonly storages: readonly Storage[];
  readonly opaque: readonly { readonly name: string; readonly why: string }[];
  readonly timeline: readonly {
    readonly line: number;
    readonly event: "new" | "view" | "write";
    readonly op: string;
    readonly storage: string;
    readonly version: number | null;
  }[];
};

export type MemoryEvent = {
  readonly i: number;
  readonly bytes: number;
  readonly now: number;
  readonly op: string;
  readonly module: string | null;
  readonly phase: string;
  readonly line: number | null;
};
export type MemoryScene = Head & {
  readonly scene: "memory";
  readonly events: readonly MemoryEvent[];
  readonly peak: { readonly bytes: number; readonly i: number; readonly alive: readonly MemoryEvent[] };
  readonly allocator: { readonly peak_bytes: number | null; readonly inside_kernels_bytes: number | null };
  readonly phases: Readonly<Record<string, number>>;
};

export type Kernel = {
  readonly name: string;
  readonly stage: string;
  readonly code: string;
  readonly nodes: readonly string[];
  readonly lines: readonly number[];
};
export type CompiledGraph = {
  readonly id: string;
  readonly frame: string;
  readonly line: number | null;
  readonly dynamo: string | null;
  readonly pre_grad: string | null;
  readonly joint: string | null;
  readonly forward: string | null;
  readonly backward: string | null;
  readonly post_grad: readonly string[];
  readonly kernels: readonly Kernel[];
  readonly guards: readonly { readonly kind: string; readonly source: string; readonly expression: string; readonly line: number | null }[];
  readonly nodes: readonly { readonly name: string; readonly line: number }[];
};
export type CompileScene = Head & {
  readonly scene: "compile";
  readonly graphs: readonly CompiledGraph[];
  readonly breaks: readonly {
    readonly line: number | null;
    readonly reason: string;
    readonly explanation: string;
    readonly hints: readonly string[];
    readonly gb: string | null;
    readonly count: number;
  }[];
  readonly recompiles: readonly { readonly line: number | null; readonly guard: string; readonly was: string | null; readonly now: string | null }[];
  readonly map: readonly { readonly line: number; readonly nodes: readonly string[]; readonly kernels: readonly string[] }[];
};

export type Scene = DispatchScene | GraphScene | StorageScene | MemoryScene | CompileScene;

/** Something in a figure: the lines of the program that it comes from, a sentence, and its row in the table. */
export type Item = { readonly lines: readonly number[]; readonly said: string; readonly cells: readonly string[] };

/** A size as the terminal says it. */
export function sayBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  let at = 0;
  let size = Math.abs(bytes);
  while (size >= 1024 && at < units.length - 1) [size, at] = [size / 1024, at + 1];
  const words = at === 0 || Number.isInteger(size) ? `${size}` : size.toFixed(size < 10 ? 2 : 1);
  return `${bytes < 0 ? "−" : ""}${words} ${units[at]}`;
}

/** A shape or a stride as Python prints it. */
export function sayTuple(sizes: readonly (number | string)[] | null | undefined): string {
  return sizes ? `(${sizes.join(", ")}${sizes.length === 1 ? "," : ""})` : "";
}

/** An operator without its namespace, where that is ATen. */
export function sayOp(op: string): string {
  return op.replace(/^aten(::|\.)/, "").replace(/\.default$/, "");
}

export const lineOf = (line: number | null): readonly number[] => (line === null ? [] : [line]);
