/** What comes with the first run of a simulation, with its words. */

import { lang, t } from "$lib/i18n";

Object.assign(t, lang === "zh" ? await import("../../messages/zh/outcome") : await import("../../messages/en/outcome"));

export { simulate } from "$lib/distributed/simulate";
export { default as Result } from "./Result.svelte";
export { default as Timeline } from "./Timeline.svelte";
