/** Ask the server; every failure is an error that says what happened in words a person can use. */

import { lang } from "./i18n";
import { connection } from "./connection.svelte";

/** The one error shape of Torchstone. */
export type Fault = {
  readonly ok: false;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly status: number;
};

/** The server answered that it will not or cannot. `body` may hold more than the fault. */
export class ApiError extends Error {
  constructor(
    readonly fault: Fault,
    readonly body: unknown = fault,
  ) {
    super(fault.message);
  }
}

/** There was no answer: the server is gone, or the answer was cut off. */
export class ServerGone extends Error {}

type Options = { signal?: AbortSignal; keepalive?: boolean; headers?: Record<string, string> };

export async function send(method: string, path: string, body?: unknown, options: Options = {}): Promise<Response> {
  const headers: Record<string, string> = { "Accept-Language": lang, ...options.headers };
  const init: RequestInit = { ...options, method, headers, credentials: "same-origin" };
  if (body !== undefined) {
    headers["Content-Type"] ??= "application/json";
    init.body = body instanceof Blob ? body : JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    connection.lost();
    throw new ServerGone(path);
  }
  // Locked out is not back: whoever waits for the return would ask again at once, and for ever.
  if (response.status !== 401) connection.found();
  if (response.ok) return response;
  throw await faultOf(response);
}

async function faultOf(response: Response): Promise<Error> {
  try {
    const body = (await response.json()) as Fault & { detail?: unknown };
    if (response.status === 401) connection.locked();
    return new ApiError(body, body);
  } catch {
    // Whatever answered is not our server.
    return new ServerGone(`${response.status} ${response.url}`);
  }
}

async function json<T>(method: string, path: string, body?: unknown, options?: Options): Promise<T> {
  return (await (await send(method, path, body, options)).json()) as T;
}

export const api = {
  get: <T>(path: string, options?: Options) => json<T>("GET", path, undefined, options),
  post: <T>(path: string, body: unknown = {}, options?: Options) => json<T>("POST", path, body, options),
  put: <T>(path: string, body: unknown, options?: Options) => json<T>("PUT", path, body, options),
};
