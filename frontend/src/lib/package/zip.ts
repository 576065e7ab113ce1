/** Zip archives: write one of texts, and read one that may be hostile, without a library. */

import { Refused } from "./refused";

/** A file by its path; its bytes are read when they are asked for, and no more than a limit. */
export type Source = { readonly path: string; readonly read: (most: number) => Promise<Uint8Array> };

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const MOST_COMMENT = 0xffff;
// The names are UTF-8.
const UTF8 = 1 << 11;
// More than any package has, folders included.
const MOST_ENTRIES = 4096;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

export function crc32(bytes: Uint8Array): number {
  let sum = ~0;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 0xff]! ^ (sum >>> 8);
  return ~sum >>> 0;
}

/** Write texts to an archive, uncompressed. */
export function writeZip(texts: readonly (readonly [path: string, text: string])[], at = new Date()): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const time = (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1);
  const day = (Math.max(0, at.getFullYear() - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate();
  const entries = texts.map(([path, text]) => {
    const [name, data] = [encoder.encode(path), encoder.encode(text)];
    // Version 2.0, flags, stored, time, day, sum, sizes, length of the name.
    const shared: Field[] = [20, UTF8, 0, time, day, [crc32(data)], [data.length], [data.length], name.length];
    return { name, data, shared };
  });
  const local = entries.map(({ name, data, shared }) => joined([fields([LOCAL], ...shared, 0), name, data]));
  let offset = 0;
  const central = entries.map(({ name, shared }, index) => {
    const here = offset;
    offset += local[index]!.length;
    return joined([fields([CENTRAL], 20, ...shared, 0, 0, 0, 0, [0], [here]), name]);
  });
  const size = central.reduce((sum, each) => sum + each.length, 0);
  const end = fields([END], 0, 0, entries.length, entries.length, [size], [offset], 0);
  return joined([...local, ...central, end]);
}

/**
 * List the files of an archive; folders are left out.
 *
 * Raises: Refused if it is no such archive, is encrypted or compressed in a way that browsers do not know.
 */
export function readZip(bytes: Uint8Array): Source[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return entriesOf(bytes, view);
  } catch (error) {
    // An offset that leads outside.
    if (error instanceof RangeError) throw new Refused("zip", "");
    throw error;
  }
}

function entriesOf(bytes: Uint8Array, view: DataView): Source[] {
  let end = bytes.length - END_BYTES;
  const least = Math.max(0, end - MOST_COMMENT);
  while (end >= least && view.getUint32(end, true) !== END) end--;
  if (end < least) throw new Refused("zip", "");
  const count = view.getUint16(end + 10, true);
  if (count > MOST_ENTRIES) throw new Refused("many", "");
  let at = view.getUint32(end + 16, true);
  const found: Source[] = [];
  for (let index = 0; index < count; index++) {
    if (view.getUint32(at, true) !== CENTRAL) throw new Refused("zip", "");
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const packed = view.getUint32(at + 20, true);
    const lengths = [view.getUint16(at + 28, true), view.getUint16(at + 30, true), view.getUint16(at + 32, true)] as const;
    const path = nameOf(part(bytes, at + CENTRAL_BYTES, lengths[0]));
    const from = view.getUint32(at + 42, true);
    const sum = view.getUint32(at + 16, true);
    at += CENTRAL_BYTES + lengths[0] + lengths[1] + lengths[2];
    if (path.endsWith("/")) continue;
    if (flags & 1 || (method !== 0 && method !== 8)) throw new Refused("zipKind", path);
    found.push({ path, read: async (most) => checked(await unpack(bytes, view, from, packed, method, most), sum, path) });
  }
  return found;
}

async function unpack(bytes: Uint8Array, view: DataView, from: number, packed: number, method: number, most: number): Promise<Uint8Array> {
  if (from + LOCAL_BYTES > bytes.length || view.getUint32(from, true) !== LOCAL) throw new Refused("zip", "");
  const begin = from + LOCAL_BYTES + view.getUint16(from + 26, true) + view.getUint16(from + 28, true);
  const data = part(bytes, begin, packed);
  if (method === 0) return within(data, most);
  const stream = new Blob([data.slice()]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return joined(chunks);
      size += value.length;
      chunks.push(value);
      // Whatever the archive says of its sizes: a few bytes can become gigabytes.
      if (size > most) throw new Refused("large", "");
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    // What is cut off or no deflate.
    throw error instanceof TypeError ? new Refused("zip", "") : error;
  }
}

function within(data: Uint8Array, most: number): Uint8Array {
  if (data.length > most) throw new Refused("large", "");
  return data;
}

function checked(data: Uint8Array, sum: number, path: string): Uint8Array {
  if (crc32(data) !== sum) throw new Refused("zip", path);
  return data;
}

function part(bytes: Uint8Array, from: number, length: number): Uint8Array {
  if (from + length > bytes.length) throw new Refused("zip", "");
  return bytes.subarray(from, from + length);
}

function nameOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refused("path", new TextDecoder("latin1").decode(bytes));
  }
}

/** A number of two bytes; in brackets, of four. */
type Field = number | readonly [number];

function fields(...values: Field[]): Uint8Array {
  const bytes = values.flatMap((value) => {
    const number = typeof value === "number" ? value : value[0];
    const short = [number & 0xff, (number >>> 8) & 0xff];
    return typeof value === "number" ? short : [...short, (number >>> 16) & 0xff, (number >>> 24) & 0xff];
  });
  return Uint8Array.from(bytes);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, each) => sum + each.length, 0));
  let at = 0;
  for (const each of parts) {
    whole.set(each, at);
    at += each.length;
  }
  return whole;
}
