/** An expression to begin with: what a problem asks for, called on small inputs. */

import type { ProblemPage } from "$lib/types";

// What an argument of this name is, most likely.
const VALUES: Readonly<Record<string, string>> = {
  target: "torch.tensor([0, 2])",
  shape: "(2, 3)",
  "*shapes": "(2, 1), (3,)",
  "*tensors": "torch.randn(2, 1), torch.randn(3)",
  normalized_shape: "3",
  features: "3",
  in_features: "3",
  out_features: "4",
  model: "torch.nn.Linear(3, 2)",
  optimizer: "torch.optim.SGD([torch.zeros(2)], lr=0.1)",
  total_iters: "5",
  fn: "torch.sin",
  inputs: "(torch.randn(3, dtype=torch.float64, requires_grad=True),)",
  // The signature is cut short: most often two sizes.
  "...": "3, 4",
};
const TENSOR = "torch.randn(2, 3)";

/** Make a call of the first thing a signature names; its optional arguments are left out. */
export function exampleOf(problem: Pick<ProblemPage, "kind" | "signature" | "names">): string {
  const first = problem.signature.split(";")[0]!.trim();
  const parts = /^([\w.]+)\(([^()]*)\)(?:\((.*)\))?$/.exec(first);
  if (!parts) return problem.names[0] ? `${problem.names[0]}()` : "";
  const [, name, parameters = "", called] = parts;
  const call = `${name}(${argumentsOf(parameters)})`;
  // What is built first is then called.
  if (called !== undefined) return `${call}(torch.randn(5, 2, 3))`;
  return problem.kind === "module" ? `${call}(${TENSOR})` : call;
}

function argumentsOf(parameters: string): string {
  const required: string[] = [];
  for (const parameter of parameters.split(",").map((each) => each.trim())) {
    if (parameter === "*" || parameter.includes("=")) break;
    if (parameter && parameter !== "/") required.push(VALUES[parameter] ?? TENSOR);
  }
  return required.join(", ");
}
