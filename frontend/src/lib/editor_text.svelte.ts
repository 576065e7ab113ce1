/** How the text of the editor stands; only the pages that show or choose it load this. */

import { read, write } from "./preferences.svelte";

// The first of each is the default.
export const TEXT = {
  size: ["13", "12", "14", "16", "18"],
  wrap: ["off", "on"],
  tab: ["4", "2", "8"],
} as const;
export type EditorText = { readonly [Name in keyof typeof TEXT]: (typeof TEXT)[Name][number] };

class EditorTextChoice {
  value = $state.raw<EditorText>({
    size: read("torchstone_size", TEXT.size),
    wrap: read("torchstone_wrap", TEXT.wrap),
    tab: read("torchstone_tab", TEXT.tab),
  });

  choose<Name extends keyof EditorText>(name: Name, value: EditorText[Name]): void {
    this.value = { ...this.value, [name]: value };
    write(`torchstone_${name}`, value);
  }
}

export const editorText = new EditorTextChoice();
