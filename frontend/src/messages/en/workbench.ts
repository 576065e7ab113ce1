/** The words of the problem page. */

export { editor } from "./editor";
export { isolationNotice } from "./isolation";
export { problem } from "./problem";
export { verdict } from "./verdict";
