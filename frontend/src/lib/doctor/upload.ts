/** Bring the files of a run to the server of this machine. */

import { api, send } from "../api";
import type { TraceOverview } from "../types";

/** What a drop or a choice holds: files, or the word that it is a folder. */
export function filesOf(items: DataTransferItemList | undefined, files: FileList): readonly File[] | "folder" {
  for (const item of items ?? []) {
    if (item.webkitGetAsEntry?.()?.isDirectory) return "folder";
  }
  return [...files];
}

/** Copy the files and return the id of their trace; `onfile` is called before each. */
export async function upload(files: readonly File[], columns: number, signal: AbortSignal, onfile: (file: File) => void): Promise<string> {
  let trace = "";
  for (const file of files) {
    onfile(file);
    // The server begins to read with the last file.
    const last = { columns: `${columns}`, is_last: `${file === files.at(-1)}` };
    const query = new URLSearchParams({ name: file.name, ...last, ...(trace && { trace }) });
    const headers = { "Content-Type": "application/octet-stream" };
    const response = await send("POST", `/api/doctor/traces?${query}`, file, { signal, headers });
    ({ trace } = (await response.json()) as { trace: string });
  }
  return trace;
}

/** Read a trace: its accounting and its timeline. */
export function open(trace: string, signal: AbortSignal): Promise<TraceOverview> {
  return api.get<TraceOverview>(`/api/doctor/traces/${trace}`, { signal });
}

/** Tell the server that nobody looks at a trace any more; it would notice by itself later. */
export function close(trace: string): void {
  send("DELETE", `/api/doctor/traces/${trace}`, undefined, { keepalive: true }).catch(() => undefined);
}
