/** What comes with the first run that is opened, with its words. */

import { lang, t } from "$lib/i18n";

Object.assign(t, lang === "zh" ? await import("../../messages/zh/diagnosis") : await import("../../messages/en/diagnosis"));

export { default as Opened } from "./Opened.svelte";
