/** What the list of problems shows seldom, loaded together with its words. */

export { default as BrokenNotice } from "./BrokenNotice.svelte";
export { default as NoneFound } from "./NoneFound.svelte";
export { default as TermList } from "./TermList.svelte";
