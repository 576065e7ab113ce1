/** The words of an interview that is held, and those of the editor in it. */

import { lang, t } from "$lib/i18n";

Object.assign(
  t,
  ...(lang === "zh"
    ? await Promise.all([import("../../messages/zh/interviewing"), import("../../messages/zh/editor"), import("../../messages/zh/bench")])
    : await Promise.all([import("../../messages/en/interviewing"), import("../../messages/en/editor"), import("../../messages/en/bench")])),
);
