/** TOML for the editor: tables, comments, strings, numbers and dates. */

import { LanguageSupport, StreamLanguage } from "@codemirror/language";

/** The quotes of a string that goes on in the next line. */
type State = { quotes: string };

const NUMBER = /^[+-]?(0x[\da-f_]+|0[ob][0-7_]+|\d[\d_:.TZ+-]*(e[+-]?\d+)?|inf|nan)\b/i;

const toml = StreamLanguage.define<State>({
  name: "toml",
  startState: () => ({ quotes: "" }),
  token(stream, state) {
    if (state.quotes) {
      if (stream.skipTo(state.quotes)) {
        stream.match(state.quotes);
        state.quotes = "";
      } else stream.skipToEnd();
      return "string";
    }
    if (stream.sol() && stream.match(/^\s*\[\[?[^\]#]*\]\]?/)) return "typeName";
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match(/^("""|''')/)) {
      state.quotes = stream.current();
      return "string";
    }
    if (stream.match(/^"(\\.|[^"\\])*"?/) || stream.match(/^'[^']*'?/)) return "string";
    if (stream.match(/^(true|false)\b/)) return "bool";
    if (stream.match(NUMBER)) return "number";
    if (!stream.match(/^[\w-]+/)) stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "#" } },
});

export const support = new LanguageSupport(toml);
