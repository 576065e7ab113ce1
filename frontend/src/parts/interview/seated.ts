/** A part of the interview and its words, which come with it. */

import "./words";

export { default as Seat } from "./Seat.svelte";
