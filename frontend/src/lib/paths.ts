/** The words of the paths on the home page. They come with the paths, so they are not among those of the page. */

import { lang } from "./i18n";

export const { paths: words } = lang === "zh" ? await import("../messages/zh/paths") : await import("../messages/en/paths");
