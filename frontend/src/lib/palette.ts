/** Ctrl K, or ⌘ K on a Mac, opens the palette on every page; what it does is loaded then. */

const mod = /mac/i.test(navigator.platform) ? "metaKey" : "ctrlKey";

export async function press(event: KeyboardEvent): Promise<void> {
  // In the editor Ctrl K may be Vim's or Emacs's own.
  if (event.code !== "KeyK" || event.defaultPrevented || event.shiftKey || event.altKey || !event[mod]) return;
  event.preventDefault();
  (await import("../parts/palette/open")).open();
}
