import { cutText } from "../../../words/cut";

/** A value of the evidence. Numbers keep their spelling: long ids would not survive as numbers. */
export type Value =
  | { readonly kind: "text" | "number" | "word"; readonly text: string }
  | { readonly kind: "list"; readonly entries: readonly Entry[] }
  | { readonly kind: "object"; readonly entries: readonly Entry[] };

export interface Entry {
  /** Name of the field; 1-based place in a list. */
  readonly name: string;
  readonly value: Value;
}

export interface Evidence {
  readonly value: Value;
  /** The text was cut: this is its beginning. */
  readonly cut: boolean;
}

/** Values deeper than this stay text: people do not open that many levels. */
const DEEPEST = 40;
const WORDS = ["true", "false", "null"];
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\]|\\.)*"/sy;

/** The end of the text came where a value should be. */
class Ended extends Error {}
class NotJson extends Error {}

class Reader {
  #at = 0;
  cut = false;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether nothing but space is left. */
  get done(): boolean {
    return this.#peek() === "";
  }

  value(depth: number): Value {
    const sign = this.#peek();
    if (sign === "") throw new Ended();
    if (sign === "{" || sign === "[") return depth < DEEPEST ? this.#inside(sign, depth) : this.#unread();
    if (sign === '"') return { kind: "text", text: this.#string() };
    const number = this.#take(NUMBER);
    if (number !== null) return { kind: "number", text: number };
    const word = WORDS.find((one) => this.#text.startsWith(one, this.#at));
    if (word === undefined) return this.#broken();
    this.#at += word.length;
    return { kind: "word", text: word };
  }

  #inside(open: "{" | "[", depth: number): Value {
    const close = open === "{" ? "}" : "]";
    const entries: Entry[] = [];
    this.#at += 1;
    try {
      while (this.#peek() !== close) {
        if (entries.length > 0) this.#expect(",");
        const name = open === "{" ? this.#name() : String(entries.length + 1);
        entries.push({ name, value: this.value(depth + 1) });
        if (this.cut) break;
      }
      this.#at += 1;
    } catch (reason) {
      if (!(reason instanceof Ended)) throw reason;
      this.cut = true;
    }
    return { kind: open === "{" ? "object" : "list", entries };
  }

  #name(): string {
    if (this.#peek() === "") throw new Ended();
    if (this.#peek() !== '"') return this.#broken();
    const name = this.#string();
    if (this.cut) throw new Ended();
    this.#expect(":");
    return name;
  }

  #string(): string {
    const whole = this.#take(STRING);
    if (whole !== null) return unescaped(whole);
    const rest = this.#text.slice(this.#at + 1);
    this.#at = this.#text.length;
    this.cut = true;
    return rest;
  }

  /** A value too deep to be taken apart: its text up to where it closes. */
  #unread(): Value {
    const from = this.#at;
    let depth = 0;
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at]!;
      if (sign === '"' && this.#take(STRING) !== null) continue;
      this.#at += 1;
      if (sign === "{" || sign === "[") depth += 1;
      else if (sign === "}" || sign === "]") depth -= 1;
      if (depth === 0) return { kind: "text", text: this.#text.slice(from, this.#at) };
    }
    this.cut = true;
    return { kind: "text", text: this.#text.slice(from) };
  }

  #expect(sign: string): void {
    const next = this.#peek();
    if (next === "") throw new Ended();
    if (next !== sign) this.#broken();
    this.#at += 1;
  }

  /** What is no JSON may be the mark of a cut, and only there. */
  #broken(): never {
    if (this.#at >= this.#text.length - 6 && this.#text.endsWith("…")) throw new Ended();
    throw new NotJson();
  }

  #peek(): string {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
    return this.#text[this.#at] ?? "";
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (!match) return null;
    this.#at = pattern.lastIndex;
    return match[0];
  }
}

function unescaped(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal.slice(1, -1);
  }
}

/** What the evidence says, as far as its text goes; null when it is no JSON and stays the text it is. */
export function readEvidence(text: string): Evidence | null {
  const reader = new Reader(text);
  try {
    const value = reader.value(0);
    return reader.cut || reader.done ? { value, cut: reader.cut } : null;
  } catch {
    return null;
  }
}

/** A value on one short line. */
export function preview(value: Value, limit = 80): string {
  const text = "entries" in value ? previewEntries(value, limit) : value.text.replace(/\s+/g, " ");
  return cutText(text, limit);
}

function previewEntries({ kind, entries }: Extract<Value, { entries: unknown }>, limit: number): string {
  const parts: string[] = [];
  for (const { name, value } of entries.slice(0, 6)) {
    const inner = "entries" in value ? (value.kind === "list" ? "[…]" : "{…}") : preview(value, 32);
    parts.push(kind === "list" ? inner : `${name}: ${inner}`);
    if (parts.join(", ").length > limit) break;
  }
  return parts.join(", ") + (entries.length > parts.length ? ", …" : "");
}
