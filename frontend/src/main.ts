import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/print.css";

import { mount } from "svelte";

import App from "./App.svelte";
import { loadMessages } from "$lib/i18n";

// The words come before the first frame, so no page ever shows a key or the other language.
// Not awaited: their chunk imports this one, and would wait for it in turn.
void loadMessages().then(() => mount(App, { target: document.getElementById("app")! }));
