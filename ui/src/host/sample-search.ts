import type { FoundLoop, LoopDetail, LoopRow, SearchAnswer, SearchHit, TextKind } from "./bindings";

type Text = readonly [kind: TextKind, item: string | null, text: string | null];

/** The texts of a sample that can be found; the backend knows more of them. */
function textsOf(row: LoopRow, detail: LoopDetail): Text[] {
  return [
    ["title", null, row.title],
    ...detail.tasks.map((task): Text => ["task", task.id, task.description]),
    ...(detail.debug?.hypotheses ?? []).map((one): Text => ["hypothesis", one.id, one.description]),
    ...(detail.validation?.failed_tests ?? []).map((name): Text => ["test", name, name]),
    ...detail.atoms.flatMap((atom): Text[] => [
      ["atom", atom.id, atom.description],
      ["binding", atom.id, atom.summary],
    ]),
  ];
}

function hitOf([kind, item, text]: Text, terms: readonly string[]): SearchHit | null {
  const small = (text ?? "").toLowerCase();
  const marks = terms.map((term) => ({ start: small.indexOf(term), end: small.indexOf(term) + term.length }));
  if (text === null || marks.some(({ start }) => start < 0)) return null;
  return { kind, item, line: null, text, marks: marks.toSorted((left, right) => left.start - right.start) };
}

/** A search over samples, as the backend would answer. */
export function sampleSearch(
  rows: readonly LoopRow[],
  detailOf: (row: LoopRow) => LoopDetail,
  text: string,
): SearchAnswer {
  const terms = [
    ...new Set(
      text
        .toLowerCase()
        .split(/\s+/)
        .filter((term) => term !== ""),
    ),
  ];
  const found = rows.map((row): FoundLoop => {
    const { key, workspace, title, word, file_word, changed } = row;
    const hits = terms.length === 0 ? [] : textsOf(row, detailOf(row)).map((one) => hitOf(one, terms));
    const there = hits.filter((hit) => hit !== null);
    return {
      key,
      workspace,
      title,
      word,
      file_word,
      changed,
      hits: there.slice(0, 6),
      total: there.length,
    };
  });
  const loops = found
    .filter(({ total }) => total > 0)
    .toSorted((left, right) => right.changed - left.changed);
  return { loops, next: null, left: 0, unread: 0 };
}
