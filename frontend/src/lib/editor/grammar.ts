/** What the editor knows of a language; C++ (and CUDA) and TOML come only when they are needed. */

import { pythonLanguage } from "@codemirror/lang-python";
import { LanguageSupport } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

import type { EditorLanguage } from "./languages";

export async function loadLanguage(language: EditorLanguage): Promise<Extension> {
  if (language === "cpp") return (await import("@codemirror/lang-cpp")).cpp();
  if (language === "toml") return (await import("./toml")).support;
  return language === "python" ? new LanguageSupport(pythonLanguage) : [];
}
