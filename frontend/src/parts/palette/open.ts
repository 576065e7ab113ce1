/** The palette and its words, put into the document once it is asked for. */

import { mount } from "svelte";

import { lang, t } from "$lib/i18n";
import Palette from "./Palette.svelte";

const words = lang === "zh" ? await import("../../messages/zh/palette") : await import("../../messages/en/palette");
Object.assign(t, words);

const { open } = mount(Palette, { target: document.body }) as { open: () => void };
export { open };
