/** The report and its words, which come with it. */

import { lang, t } from "$lib/i18n";
import Report from "./Report.svelte";

const words = lang === "zh" ? await import("../../messages/zh/interview_report") : await import("../../messages/en/interview_report");
Object.assign(t, words);

export { Report };
