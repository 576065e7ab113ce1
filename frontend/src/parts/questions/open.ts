/** One question and its words, which come with it. */

import { lang, t } from "$lib/i18n";
import Question from "./Question.svelte";

const words = lang === "zh" ? await import("../../messages/zh/question") : await import("../../messages/en/question");
Object.assign(t, words);

export { Question };
