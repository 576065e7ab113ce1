/**
 * What this page does not use of Svelte and Vite, taken out of them: every page would carry it.
 *
 * An export that a later version adds fails the build, since it is missing here.
 */

import type { Plugin } from "vite";

// Svelte asks all over whether it takes over HTML that a server has drawn. This page is always drawn in the
// browser; with that as a constant, the code that would take over falls away.
const HYDRATION = `
  export const hydrating = false;
  export const hydrate_node = null;
  export function set_hydrating() {}
  export function set_hydrate_node() {}
  export function hydrate_next() {}
  export function hydrate_template() {}
  export function skip_nodes() {}
  export function read_hydration_instruction() {}
  export function next() {}
  export function reset() {}
`;

// State is replaced here, never changed in place, so no object has to be watched.
const PROXY = `
  export const proxy = (value) => value;
  export const get_proxied_value = proxy;
  export const is = Object.is;
`;

// A warning of Svelte is for who builds a page, and its development build has it in words.
const WARNINGS = `
  export function assignment_value_stale() {}
  export function await_reactivity_loss() {}
  export function await_waterfall() {}
  export function binding_property_non_reactive() {}
  export function console_log_state() {}
  export function derived_inert() {}
  export function event_handler_invalid() {}
  export function hydratable_missing_but_expected() {}
  export function hydration_attribute_changed() {}
  export function hydration_html_changed() {}
  export function hydration_mismatch() {}
  export function invalid_raw_snippet_render() {}
  export function legacy_recursive_reactive_block() {}
  export function lifecycle_double_unmount() {}
  export function ownership_invalid_binding() {}
  export function ownership_invalid_mutation() {}
  export function select_multiple_invalid_value() {}
  export function state_proxy_equality_mismatch() {}
  export function svelte_boundary_reset_noop() {}
  export function transition_slide_display() {}
`;

// A class is a string or nothing here, never a list of them.
const CLSX = `
  export const clsx = String;
`;
const UNSUPPORTED = /\$state(?!<readonly)(<[^(]*>)?\(\s*[[{]|\sclass=\{\s*[[{]|\s(transition|animate|in|out):[a-z]/;

// What always holds here, as Svelte asks it and as it is answered.
const FACTS: Readonly<Record<string, readonly (readonly [asked: RegExp, answered: string])[]>> = {
  // Nothing in a template is awaited (`experimental.async` of the compiler is off), so nothing is waited for.
  "reactivity/async": [[/if \(async\.length === 0 && pending\.length === 0\)/, "if (true)"]],
  // Nobody asks what is pending.
  "dom/blocks/boundary": [[/= createSubscriber\([\s\S]*?\n\t\}\);/, "= () => {};"]],
  // The name of an error finds its page as well.
  errors: [[/https:\/\/svelte\.dev\/e\//g, ""]],
  // What moves is moved by style sheets.
  "dom/blocks/each": [[/\(flags & EACH_IS_ANIMATED\) !== 0/, "false"]],
  "reactivity/effects": [
    [/effect\.nodes && effect\.nodes\.t\b/g, "null"],
    [/transitions\.length/, "0"],
  ],
};

/** Calls of what does nothing now. */
export const IDLE_CALLS = ["$.reset", "$.next", "$.remove_input_defaults", "$.remove_textarea_child"];

/** Leave out of Svelte what takes over from a server, watches objects, and joins lists of classes. */
export function slimSvelte(): Plugin {
  const sources: Readonly<Record<string, string>> = { clsx: CLSX, hydration: HYDRATION, proxy: PROXY, warnings: WARNINGS };
  const part = /\/(?:svelte\/src\/internal\/client\/(?:dom\/)?|clsx\/dist\/)(clsx|hydration|proxy|warnings)\.m?js$/;
  return {
    name: "slim-svelte",
    enforce: "pre",
    load: { filter: { id: part }, handler: (id) => sources[part.exec(id)?.[1] ?? ""] },
    transform: {
      filter: { id: /\.svelte(\.ts)?$/, code: UNSUPPORTED },
      handler() {
        this.error("Not in this page: objects in $state (use $state.raw, and replace them), lists of classes, transitions (see slim.ts).");
      },
    },
  };
}

/** Answer what Svelte asks while it runs, so that the compiler can drop what would follow from another answer. */
export function knownFacts(): Plugin {
  const part = /\/svelte\/src\/internal\/client\/(errors|reactivity\/(?:async|effects)|dom\/blocks\/(?:boundary|each))\.js$/;
  return {
    name: "known-facts",
    transform: {
      filter: { id: part },
      handler(code, id) {
        for (const [asked, answered] of FACTS[part.exec(id)?.[1] ?? ""] ?? []) {
          const known = code.replace(asked, answered);
          if (known === code) this.error(`Svelte has changed: it does not ask ${asked} any more.`);
          code = known;
        }
        return code;
      },
    },
  };
}

/** Load parts of the page with `src/lib/lazy.ts`, and not with what Vite brings for every kind of page. */
export function ownLoader(): Plugin {
  const loader = new URL("./src/lib/lazy.ts", import.meta.url).pathname;
  return {
    name: "own-loader",
    apply: "build",
    enforce: "pre",
    resolveId: { filter: { id: /vite\/preload-helper/ }, handler: () => loader },
  };
}
