/** Ctrl K, or ⌘ K on a Mac, opens the palette on every page; what it does is loaded then. */

import { connection } from "./connection.svelte";

const mod = /mac/i.test(navigator.platform) ? "metaKey" : "ctrlKey";

export async function press(event: KeyboardEvent): Promise<void> {
  // In the editor Ctrl K may be Vim's or Emacs's own.
  if (event.code !== "KeyK" || event.defaultPrevented || event.shiftKey || event.altKey || !event[mod]) return;
  event.preventDefault();
  // Where it does not come, the page says that the server is gone, and the next press asks again.
  await import("../parts/palette/open").then(
    (part) => part.open(),
    () => connection.lost(),
  );
}
