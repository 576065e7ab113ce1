export { bench } from "./bench";
export { cuda } from "./cuda";
export { editor } from "./editor";
export { isolationNotice } from "./isolation";
export { problem } from "./problem";
export { verdict } from "./verdict";
