import type { AotAtomName, AotEffects } from "../../host/bindings";
import { fill, say, t } from "../../words/language.svelte";
import { limitName, objectiveName } from "./redirect";

/** One line of what changes. */
export interface EffectRow {
  readonly text: string;
  /** Added after it, in quieter words. */
  readonly note?: string;
}

/** Lines of one kind under their heading; a heading alone says it all. */
interface EffectPart {
  readonly code: keyof typeof t.redirectEffect;
  readonly rows: readonly EffectRow[];
}

const list = (ids: readonly string[]) => ids.join(t.units.listSeparator);
const row = (text: string): EffectRow => ({ text });
const named = ({ id, description }: AotAtomName): EffectRow =>
  row(fill(t.redirectRow.atom, { id, description }));

function objectiveParts(effects: AotEffects): EffectPart[] {
  return [
    {
      code: "texts",
      rows: effects.texts.map(({ field, before, after }) =>
        row(fill(t.redirectRow.text, { name: objectiveName(field), before, after })),
      ),
    },
    {
      code: "limits",
      rows: effects.limits.map(({ limit, before, after }) =>
        row(say(t.redirectRow.limit, { name: limitName(limit), before, after })),
      ),
    },
  ];
}

function graphParts(effects: AotEffects): EffectPart[] {
  const edited = effects.edited.flatMap(({ atom: { id }, description, needs, no_longer_needs }) => [
    ...(description === null ? [] : [row(fill(t.redirectRow.described, { id, after: description }))]),
    ...(needs.length === 0 ? [] : [row(fill(t.redirectRow.needs, { id, ids: list(needs) }))]),
    ...(no_longer_needs.length === 0
      ? []
      : [row(fill(t.redirectRow.no_longer_needs, { id, ids: list(no_longer_needs) }))]),
  ]);
  const selections = effects.selections.flatMap(({ group, before, after, cleared }) => {
    const choice = {
      group,
      before: before ?? t.redirectRow.no_choice,
      after: after ?? t.redirectRow.no_choice,
    };
    return [
      ...(before === after ? [] : [row(fill(t.redirectRow.choice, choice))]),
      ...(cleared.length === 0 ? [] : [row(fill(t.redirectRow.cleared, { group, ids: list(cleared) }))]),
    ];
  });
  return [
    { code: "added", rows: effects.added.map(named) },
    { code: "deleted", rows: effects.deleted.map(named) },
    { code: "edited", rows: edited },
    {
      code: "decomposed",
      rows: effects.decomposed.map(({ atom: { id }, children }) =>
        row(fill(t.redirectRow.split, { id, ids: list(children) })),
      ),
    },
    { code: "rejoined", rows: effects.rejoined.map(named) },
    { code: "selections", rows: selections },
  ];
}

function workParts(effects: AotEffects): EffectPart[] {
  return [
    { code: "interrupted", rows: effects.interrupted.map(named) },
    {
      code: "reset",
      rows: effects.reset.map(({ atom, cascaded }) =>
        cascaded ? { ...named(atom), note: t.effects.cascaded } : named(atom),
      ),
    },
    { code: "reopened", rows: effects.reopened.map(named) },
    {
      code: "discarded",
      rows: effects.discarded.map(({ id, summary }) => row(fill(t.redirectRow.result, { id, summary }))),
    },
    {
      code: "trail",
      rows: effects.trail.map(({ group, selected, reason }) =>
        row(fill(t.redirectRow.trail, { group, selected, reason })),
      ),
    },
    { code: "ready", rows: effects.ready.map(named) },
    { code: "waiting", rows: effects.waiting.map(named) },
  ];
}

/** What changes, kind by kind; empty kinds are left out. */
export function effectParts(effects: AotEffects): EffectPart[] {
  const parts = [...objectiveParts(effects), ...graphParts(effects), ...workParts(effects)];
  const flags = (["checks", "stall_forgiven", "ends_hold"] as const).filter((flag) => effects[flag]);
  return [
    ...parts.filter(({ rows }) => rows.length > 0),
    ...flags.map((code): EffectPart => ({ code, rows: [] })),
  ];
}

/** The same in a few sentences: what is undone and what work is lost, which is what a person must not miss. */
export function effectSentences(effects: AotEffects): string[] {
  const pending = effects.reset.length + effects.reopened.length;
  const counted = [
    [t.effects.interrupts, effects.interrupted.length],
    [t.effects.resets, pending],
    [t.effects.discards, effects.discarded.length],
    [t.effects.clears, effects.trail.length],
  ] as const;
  const said = counted.filter(([, count]) => count > 0).map(([words, count]) => say(words, { count }));
  return said.length > 0 ? said : [t.effects.keepsAll];
}
