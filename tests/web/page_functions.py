"""The page's own functions, run by Node on what a test gives them."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.web.node import WITH_NODE

FRONTEND: Final = Path(__file__).parents[2] / "frontend"
_LIBRARY: Final = FRONTEND / "src/lib"
_MODULES: Final = (
    "package/bundle",
    "package/incoming",
    "package/view",
    "package/zip",
    "figures/times",
)
# Builds the modules in memory; each request names a function and has its arguments.
_PROGRAM: Final = """
import { build } from "vite";
const [entry, calls] = JSON.parse(await new Promise((done) => {
  let text = "";
  process.stdin.on("data", (some) => (text += some)).on("end", () => done(text));
}));
const built = await build({
  configFile: false, logLevel: "error",
  build: { write: false, minify: false, lib: { entry, formats: ["es"], fileName: "it" } },
});
const { code } = built[0].output[0];
const functions = await import(`data:text/javascript,${encodeURIComponent(code)}`);
const answers = [];
for (const call of calls) {
  try {
    const asked = new Function("f", `return (${call.code})`)(functions);
    answers.push({ value: await asked(...call.with) });
  } catch (error) {
    answers.push({ error: error.key ?? String(error), word: error.word, line: error.line });
  }
}
process.stdout.write(JSON.stringify(answers));
"""


def run(calls: list[tuple[str, list[Any]]]) -> list[dict[str, Any]]:
    """Call functions of ``f`` (the modules by their names); return what each gave or raised."""
    asked = [{"code": code, "with": given} for code, given in calls]
    with tempfile.NamedTemporaryFile("w", suffix=".ts") as entry:
        for name in _MODULES:
            short = name.rpartition("/")[2]
            entry.write(f'export * as {short} from "{_LIBRARY / name}.ts";\n')
        entry.flush()
        done = subprocess.run(
            ["node", "--input-type=module", "-e", _PROGRAM],
            input=json.dumps([entry.name, asked]),
            cwd=FRONTEND,
            env=WITH_NODE,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers
