/** Load a part of the page with its style sheets; the bundler calls this wherever a part is imported when needed. */

// Its own helper does more (preloads, nonces, addresses of other hosts) and is three times as large.
export async function __vitePreload<T>(load: () => Promise<T>, sheets: readonly string[] = []): Promise<T> {
  const [part] = await Promise.all([load(), ...sheets.map(apply)]);
  return part;
}

function apply(sheet: string): Promise<unknown> | undefined {
  const href = `/${sheet}`;
  if (document.querySelector(`link[href="${href}"]`)) return undefined;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  document.head.append(link);
  return new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = () => {
      // Not there, so that it is asked for again with the part.
      link.remove();
      reject(new Error(href));
    };
  });
}
