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

// A class is a string or nothing here, never a list of them.
const CLSX = `
  export const clsx = String;
`;
const UNSUPPORTED = /\$state(?!<readonly)(<[^(]*>)?\(\s*[[{]|\sclass=\{\s*[[{]/;

/** Calls of what does nothing now. */
export const IDLE_CALLS = ["$.reset", "$.next"];

/** Leave out of Svelte what takes over from a server, watches objects, and joins lists of classes. */
export function slimSvelte(): Plugin {
  const sources: Readonly<Record<string, string>> = { clsx: CLSX, hydration: HYDRATION, proxy: PROXY };
  const part = /\/(?:svelte\/src\/internal\/client\/(?:dom\/)?|clsx\/dist\/)(clsx|hydration|proxy)\.m?js$/;
  return {
    name: "slim-svelte",
    enforce: "pre",
    load: { filter: { id: part }, handler: (id) => sources[part.exec(id)?.[1] ?? ""] },
    transform: {
      filter: { id: /\.svelte(\.ts)?$/, code: UNSUPPORTED },
      handler() {
        this.error("Not in this page: objects in $state (use $state.raw, and replace them), lists of classes (see slim.ts).");
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
