/** What the reader chose about the page; in cookies, so that the server sends the first frame right. */

export type Theme = "system" | "light" | "dark";
export type EditorKeys = "default" | "vim" | "emacs";

const YEAR_S = 31_536_000;

class Preferences {
  theme = $state<Theme>(read("torchstone_theme", ["system", "light", "dark"]));
  keys = $state<EditorKeys>(read("torchstone_keys", ["default", "vim", "emacs"]));

  setTheme(theme: Theme): void {
    this.theme = theme;
    write("torchstone_theme", theme);
    document.documentElement.dataset.theme = theme;
  }

  setKeys(keys: EditorKeys): void {
    this.keys = keys;
    write("torchstone_keys", keys);
  }

  setLang(lang: string): void {
    write("torchstone_lang", lang);
  }
}

/** Read a choice; the first that is known is the default. */
export function read<T extends string>(name: string, known: readonly [T, ...T[]]): T {
  const value = cookie(name);
  return known.find((each) => each === value) ?? known[0];
}

/** Read what was kept under a name. */
export function cookie(name: string): string | undefined {
  const pair = document.cookie.split("; ").find((each) => each.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

/** Keep a value under a name; each server of this machine reads it, whatever its port. */
export function write(name: string, value: string): void {
  document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_S}; SameSite=Strict`;
}

export const preferences = new Preferences();
