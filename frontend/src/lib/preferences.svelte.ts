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

function read<T extends string>(name: string, known: readonly [T, ...T[]]): T {
  const pair = document.cookie.split("; ").find((each) => each.startsWith(`${name}=`));
  const value = pair?.slice(name.length + 1);
  return known.find((each) => each === value) ?? known[0];
}

function write(name: string, value: string): void {
  document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_S}; SameSite=Strict`;
}

export const preferences = new Preferences();
