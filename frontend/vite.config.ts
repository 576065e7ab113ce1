import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

import { emacsKeys } from "./emacs.ts";
import { IDLE_CALLS, knownFacts, ownLoader, slimSvelte } from "./slim.ts";

const at = (folder: string) => new URL(`./src/${folder}`, import.meta.url).pathname;

// Every element of a component with styles of its own carries this class.
const cssHash = ({ css, hash }: { css: string; hash: (text: string) => string }) => `s${hash(css).slice(0, 4)}`;

// What only the problem page and the panels of the reviews take from Svelte.
const SELDOM = /\/client\/dom\/(elements\/(bindings\/(input|select|size)|style|attachments)|blocks\/(html|await|svelte-component))\.js$/;
// What every page takes, or nearly every one. One chunk compresses better than many.
const FRAME = [
  /\/node_modules\/(svelte|clsx|esm-env)\//,
  /^\0rolldown\/runtime/,
  /\/src\/(main\.ts|App\.svelte|styles\/)/,
  /\/src\/lib\/(api|connection|i18n|lazy|palette|preferences|resource|router)\./,
  /\/src\/parts\/(Brand|ConnectionNotice|Fault|Find|Lamp|Sentence|Shell|Skeleton|VerdictMark)\./,
  /\/src\/parts\/problems\/keys\./,
];
// What the home page and the reviews share.
const MEMORY = /\/src\/parts\/home\/(Forecast|MemorySpark|days)\./;

export default defineConfig({
  plugins: [emacsKeys(), slimSvelte(), knownFacts(), ownLoader(), svelte({ compilerOptions: { cssHash, discloseVersion: false } })],
  resolve: { alias: { $lib: at("lib"), $parts: at("parts") } },
  build: {
    outDir: "../src/torchstone/web/page",
    emptyOutDir: true,
    // The server preloads the chunks of a route, so it must know which they are.
    manifest: "manifest.json",
    modulePreload: false,
    target: ["chrome123", "firefox125", "safari17.5"],
    // A file as data: in the style sheet would need a wider content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        // Every page names two dozen files. Neither a digit of a hash nor a name that occurs once
        // compresses; seven digits are the fewest for more than 64 chunks. The manifest has the names.
        entryFileNames: "assets/[name]-[hash:7].js",
        chunkFileNames: "assets/[hash:7].js",
        assetFileNames: "assets/[hash:7][extname]",
        codeSplitting: {
          groups: [
            { name: "frame", priority: 2, test: (id) => FRAME.some((each) => each.test(id)) && !SELDOM.test(id) },
            { name: "seldom", priority: 1, test: SELDOM },
            { name: "memory", priority: 1, test: MEMORY },
          ],
        },
      },
      treeshake: {
        manualPureFunctions: IDLE_CALLS,
        // A module of Svelte that nothing is taken from does nothing.
        moduleSideEffects: [{ test: /\/svelte\/src\/internal\/client\//, sideEffects: false }],
      },
    },
  },
  // Replaced by the server, anew for every page.
  html: { cspNonce: "%nonce%" },
});
