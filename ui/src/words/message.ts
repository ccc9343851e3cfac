/** A sentence that differs by number; the slot `count` chooses the form. */
export interface Plural {
  readonly other: string;
  readonly zero?: string;
  readonly one?: string;
  readonly two?: string;
  readonly few?: string;
  readonly many?: string;
}

export type Message = string | Plural;
type SlotValue = string | number;
export type LooseSlots = Readonly<Record<string, SlotValue | undefined>>;

declare const SLOTS: unique symbol;
/** A sentence of the source language with slots; only the compiler sees their names. */
export type Sentence<Names extends string> = string & { readonly [SLOTS]: Names };

type NamesIn<M> = M extends Plural
  ? "count" | NamesIn<M["other"]>
  : M extends Sentence<infer Names>
    ? Names
    : never;

/** The slots a message of the source language names. */
export type Slots<M> = { readonly [Name in NamesIn<M>]: SlotValue };

const SLOT = /\{(\w+)\}/g;

export function pickForm(message: Message, count: SlotValue | undefined, rules: Intl.PluralRules): string {
  if (typeof message === "string") return message;
  const form = typeof count === "number" ? rules.select(count) : "other";
  return message[form] ?? message.other;
}

/** Sentences of the catalogues cut at their slots: text and names by turns. A list says the same ones over and over. */
const cut = new Map<string, readonly string[]>();

function cutAtSlots(text: string): readonly string[] {
  let parts = cut.get(text);
  if (!parts) {
    parts = text.split(SLOT);
    cut.set(text, parts);
  }
  return parts;
}

export function fillSlots(text: string, slots: LooseSlots, number: (value: number) => string): string {
  const shown = (name: string) => {
    const value = slots[name];
    if (value === undefined) return "…";
    return typeof value === "number" ? number(value) : value;
  };
  return cutAtSlots(text).reduce((said, part, at) => said + (at % 2 === 1 ? shown(part) : part), "");
}

/** A sentence cut at its slots, for views that show a slot as code or as a link. */
export function splitSlots(text: string): { text: string; slot: boolean }[] {
  return text
    .split(SLOT)
    .map((part, at) => ({ text: part, slot: at % 2 === 1 }))
    .filter((part) => part.text !== "");
}
