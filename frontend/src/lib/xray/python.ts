/** The words of a line of Python, for colour alone: a string over several lines is coloured where it begins. */

const TOKEN =
  /(?<c>#.*)|(?<s>[rbfRBF]{0,2}(?:"""|'''|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?))|(?<n>\b\d[\d_]*\.?\d*(?:e[+-]?\d+)?)|(?<k>\b(?:and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield|None|True|False)\b)|(?<fn>\b\w+(?=\())/g;

export type Token = { readonly text: string; readonly kind: string };

export function tokens(line: string): readonly Token[] {
  const found: Token[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    if (match.index > end) found.push({ text: line.slice(end, match.index), kind: "" });
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!;
    found.push({ text: match[0], kind });
    end = match.index + match[0].length;
  }
  if (end < line.length) found.push({ text: line.slice(end), kind: "" });
  return found;
}
