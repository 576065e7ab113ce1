/** Which page is shown: the address is the only state, links are ordinary links. */

import type { Component } from "svelte";

import { lang, loadPart, t } from "./i18n";

export type Params = { readonly id?: string };
// A page reads its parameters from the router.
type Page = Component<Record<string, never>>;
type Route = { name: RouteName; pattern: RegExp; load: () => Promise<{ default: Page }> };
export type RouteName = "home" | "learn" | "problems" | "problem" | "questions" | "review" | "receipts" | "labs" | "distributed" | "interview" | "doctor" | "xray" | "explain" | "settings" | "lost";

// The server knows the same routes (web/shell.py): it answers 404 to every other address.
const ROUTES: readonly Route[] = [
  { name: "home", pattern: /^\/$/, load: () => import("../pages/Home.svelte") },
  { name: "learn", pattern: /^\/learn(?:\/(?<id>[a-z][a-z0-9-]*))?$/, load: () => import("../pages/Learn.svelte") },
  { name: "problems", pattern: /^\/problems$/, load: () => import("../pages/Problems.svelte") },
  { name: "problem", pattern: /^\/problems\/(?<id>[0-9]{2}(?:op)?)$/, load: () => import("../pages/Problem.svelte") },
  { name: "questions", pattern: /^\/questions(?:\/(?<id>[\d.]+))?$/, load: () => import("../pages/Questions.svelte") },
  { name: "review", pattern: /^\/review$/, load: () => import("../pages/Review.svelte") },
  { name: "receipts", pattern: /^\/receipts(?:\/(?<id>\w+))?$/, load: () => import("../pages/Receipts.svelte") },
  { name: "labs", pattern: /^\/labs$/, load: () => import("../pages/Labs.svelte") },
  { name: "distributed", pattern: /^\/distributed$/, load: () => import("../pages/Distributed.svelte") },
  { name: "interview", pattern: /^\/interview(?:\/(?<id>\w+)(?:\/\w+)?)?$/, load: () => import("../pages/Interview.svelte") },
  { name: "doctor", pattern: /^\/doctor$/, load: () => import("../pages/Doctor.svelte") },
  { name: "xray", pattern: /^\/xray$/, load: () => import("../pages/Xray.svelte") },
  { name: "explain", pattern: /^\/explain$/, load: () => import("../pages/Explain.svelte") },
  { name: "settings", pattern: /^\/settings$/, load: () => import("../pages/Settings.svelte") },
  { name: "lost", pattern: /./, load: () => import("../pages/Lost.svelte") },
];

type Shown = { name: RouteName; component: Page; params: Params; key: number };

class Router {
  /** The page on the screen; undefined before the first one is loaded. */
  shown = $state.raw<Shown>();
  /** The address of the page on the screen, without the language. */
  address = $state(bare(location.pathname));
  query = $state.raw(new URLSearchParams(location.search));
  #key = 0;

  async start(): Promise<void> {
    addEventListener("popstate", () => this.#turn());
    document.addEventListener("click", (event) => this.#follow(event));
    await this.#show();
  }

  /** Go to an address of this page, e.g. `path("/review")`. */
  async go(address: string): Promise<void> {
    history.pushState(null, "", address);
    await this.#show();
    scrollTo(0, 0);
    // Whoever listens to the page is told where they are.
    document.getElementById("main")?.focus({ preventScroll: true });
  }

  /** Change the query of this address, without a new entry in the history. */
  setQuery(query: URLSearchParams): void {
    const text = query.toString();
    history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
    this.query = query;
  }

  #turn(): void {
    const query = new URLSearchParams(location.search).toString();
    const isHere = bare(location.pathname) === this.address && query === this.query.toString();
    // A link to a place on this page (the skip link) is no other page; one on its way is not wanted any more.
    if (isHere) this.#key++;
    else void this.#show();
  }

  #follow(event: MouseEvent): void {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    const link = (event.target as Element).closest?.("a[href]");
    if (!isPlain || event.defaultPrevented || !(link instanceof HTMLAnchorElement)) return;
    const isOurs = link.origin === location.origin && link.pathname.startsWith(`/${lang}/`);
    if (!isOurs || link.target || link.hasAttribute("download")) return;
    if (link.pathname === location.pathname && link.hash) return;
    event.preventDefault();
    void this.go(link.href);
  }

  async #show(): Promise<void> {
    const address = bare(location.pathname);
    const key = ++this.#key;
    const route = ROUTES.find((each) => each.pattern.test(address))!;
    const params = { ...route.pattern.exec(address)?.groups } as Params;
    const words = loadPart(route.name);
    const [{ default: component }] = await Promise.all([route.load(), words]);
    // A slower page that was left meanwhile must not come back.
    if (key !== this.#key) return;
    this.address = address;
    this.query = new URLSearchParams(location.search);
    // The page of a problem tells more.
    if (route.name !== "problem") document.title = `${t[route.name].title} · ${t.shell.name}`;
    this.shown = { name: route.name, component, params, key };
  }
}

function bare(pathname: string): string {
  const rest = pathname.replace(/^\/(en|zh)(?=\/|$)/, "");
  return rest.replace(/(?<=.)\/$/, "") || "/";
}

export const router = new Router();
