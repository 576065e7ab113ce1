/** The words of a package. No other page names them, so they are not among the parts that every page knows. */

import { lang, t } from "../i18n";

export async function loadWords(): Promise<void> {
  Object.assign(t, lang === "zh" ? await import("../../messages/zh/package") : await import("../../messages/en/package"));
}
