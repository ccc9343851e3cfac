import type {
  DebugView,
  HypothesisVerdict,
  HypothesisView,
  LogEntryView,
  LoopRow,
  PastChange,
} from "./bindings";
import { at, MINUTE } from "./sample-empty";
import { samplePlace } from "./sample-places";

type Verdict = Exclude<HypothesisVerdict, "other">;
type Sketch = Partial<HypothesisView> & Pick<HypothesisView, "id" | "description">;

function hypothesis(sketch: Sketch): HypothesisView {
  return {
    testable_condition: "",
    logging_point: "",
    place: samplePlace(sketch.logging_point ?? ""),
    confirm: "",
    reject: "",
    likelihood: null,
    rank: null,
    mechanism: null,
    status: "pending",
    verdict: "pending",
    evidence_count: 0,
    evidence: null,
    verdict_reason: null,
    log: [],
    log_total: 0,
    related: { tasks: [], failed_tests: [], events: [], events_total: 0 },
    ...sketch,
  };
}

const ranked = (place: number): Pick<HypothesisView, "likelihood" | "rank"> => ({
  likelihood: place,
  rank: { order: place, by: { kind: "place", value: place } },
});
const judged = (verdict: HypothesisVerdict) => ({ verdict, status: verdict });
const json = (value: unknown) => JSON.stringify(value, null, 2);

function entry(
  row: LoopRow,
  minutes: number,
  location: string,
  message: string,
  values: object | null,
): LogEntryView {
  const time = at(row.changed - minutes * MINUTE);
  return {
    time: { ...time, text: String(time.ms) },
    location,
    message,
    values: values === null ? "" : JSON.stringify(values),
  };
}

function hypotheses(row: LoopRow): HypothesisView[] {
  const keys = [1, 2, 3, 4, 5, 6].map((n) =>
    entry(row, 20 - n / 4, "bucketKey()", n === 1 ? "first request of the run" : "", {
      tenant: n % 2 === 0 ? "b" : "a",
      key: "login:10.0.0.1",
    }),
  );
  return [
    hypothesis({
      id: "H1",
      description: "The middleware runs after the handler",
      testable_condition: "Compare the order of both log lines.",
      logging_point: "src/app.ts:use():54",
      confirm: "handler log before limiter log",
      reject: "limiter log first",
      ...ranked(1),
      ...judged("rejected"),
      evidence_count: 1,
      evidence: json({ runs: 4, limiter_first: 4, sample: ["limiter", "handler"] }),
      verdict_reason: "limiter ran first in 4 of 4",
      log: [entry(row, 24, "use()", "limiter", null), entry(row, 24, "handle()", "handler", null)],
      log_total: 2,
    }),
    hypothesis({
      id: "H2",
      description: "The counter key drops the tenant id, so all tenants share one bucket",
      testable_condition: "Log the key for two tenants and compare.",
      logging_point: "src/limit/key.ts:bucketKey():31",
      confirm: "same key for two tenants",
      reject: "keys differ by tenant",
      ...ranked(2),
      ...judged("confirmed"),
      evidence_count: 6,
      evidence: json(
        keys.map((one, index) => ({
          hid: "H2",
          ts: Number(one.time?.text ?? 0),
          func: "bucketKey()",
          data: {
            tenant: index % 2 === 0 ? "a" : "b",
            key: "login:10.0.0.1",
            request: {
              id: 7205759403792793000 + index,
              headers: { "x-tenant": index % 2 === 0 ? "a" : "b", accept: "*/*" },
            },
          },
        })),
      ),
      verdict_reason: "equal keys in 6 of 6 logs",
      log: keys,
      log_total: 6,
      related: { tasks: [], failed_tests: [], events: [13], events_total: 1 },
    }),
    hypothesis({
      id: "H3",
      description: "Redis TTL is set on the first hit only, a restart keeps the old window",
      testable_condition: "Read the TTL before and after a restart of the store.",
      logging_point: "src/limit/store.ts:touch():88",
      confirm: "TTL is −1 after a restart",
      reject: "TTL counts down after every hit",
      ...ranked(3),
    }),
    hypothesis({
      id: "H4",
      description: "Test server reuses a connection and a stale header",
      testable_condition: "Log the header of two requests on one connection.",
      logging_point: "test/login.spec.ts:limits():19",
      confirm: "header differs between requests",
      reject: "header equal",
      ...ranked(4),
      ...judged("inconclusive"),
      evidence_count: 1,
      evidence: json("The second request never reached the handler; its log line is missing."),
      verdict_reason: "log missing for second request",
    }),
    hypothesis({
      id: "H5",
      description: "Clock skew between nodes moves the window edge",
      testable_condition: "Log the difference of both clocks at the edge of a window.",
      logging_point: "src/auth/token.ts:now():12",
      confirm: "skew above 500 ms in two nodes",
      reject: "skew below 50 ms everywhere",
      ...ranked(5),
      related: { tasks: [0], failed_tests: [], events: [3, 1, 0], events_total: 3 },
    }),
  ];
}

/** What a loop that looks for a bug says about it. */
export function debugSection(row: LoopRow): DebugView {
  return {
    active_bug: "login.spec › limits per tenant",
    iteration: 2,
    confirmed: "H2",
    last_analysis: at(row.changed - 12 * MINUTE),
    hypotheses: hypotheses(row),
    understanding:
      "All tenants behind one address share a bucket: the key is built from the address alone. The window itself is sound, and the order of the middleware is right.",
    log_foreign: 3,
  };
}

/** As many hypotheses, as long and as odd as files can hold them. */
export function manyHypotheses(row: LoopRow, count: number): DebugView {
  const words: readonly Pick<HypothesisView, "verdict" | "status">[] = [
    judged("pending"),
    judged("confirmed"),
    judged("rejected"),
    judged("inconclusive"),
    { verdict: "other", status: "needs-a-second-look" },
    { verdict: "rejected", status: "REJECTED" },
    { verdict: "other", status: "" },
  ];
  const sound = hypotheses(row);
  const rows = Array.from({ length: count }, (_, index): HypothesisView => {
    const like = sound[index % sound.length] as HypothesisView;
    return {
      ...like,
      id: index === 7 ? "hypothesis-with-a-rather-long-identifier-7" : `H${index + 1}`,
      description: odd(index) ?? like.description,
      ...(index % 11 === 10
        ? { likelihood: 0.35, rank: { order: 1, by: { kind: "likelihood" as const, value: 0.35 } } }
        : ranked(index + 1)),
      ...words[index % 13 === 4 ? 4 : index % 3 === 0 ? 0 : index % words.length],
      logging_point:
        index % 9 === 2
          ? `packages/${"some-rather-deep-folder/".repeat(6)}src/limit/key.ts:Namespace::Class::method:12345`
          : index % 9 === 5
            ? "src/مجلد/ملف.ts:دالة():12"
            : like.logging_point,
      ...(index % 6 === 1 ? { evidence: deepEvidence(), evidence_count: 1 } : {}),
    };
  });
  return { ...debugSection(row), confirmed: rows[1]?.id ?? null, hypotheses: rows };
}

function odd(index: number): string | null {
  if (index % 7 === 1)
    return `The claim goes on and on ${"and names every circumstance that matters ".repeat(12)}`;
  if (index % 7 === 3)
    return "计数器的键没有包含租户编号，因此所有租户共用同一个桶，重启之后旧的时间窗口仍然有效。";
  if (index % 7 === 5) return "مفتاح العداد لا يتضمن معرف المستأجر، لذلك يتشارك الجميع دلوًا واحدًا";
  return null;
}

function deepEvidence(): string {
  let value: unknown = "the deepest";
  for (let depth = 0; depth < 60; depth += 1) value = { level: value, note: `depth ${60 - depth}` };
  return json({ deep: value, many: Array.from({ length: 240 }, (_, n) => ({ n, hex: n.toString(16) })) });
}

/** What kept versions of that loop changed, newest first. */
export function samplePastChanges(row: LoopRow): PastChange[] {
  if (row.format !== "loop_v2") return [];
  const verdict = (id: string, from: Verdict | null, to: Verdict) => ({
    what: "hypothesis" as const,
    id,
    from,
    to,
    from_status: from,
    to_status: to,
  });
  const change = (
    id: number,
    minutes: number,
    who: PastChange["who"],
    changes: PastChange["changes"],
  ): PastChange => ({
    id,
    at: row.changed - minutes * MINUTE,
    who,
    cause: who === "ours" ? "operate" : null,
    changes,
  });
  return [
    change(6, 12, "foreign", [
      verdict("H2", "inconclusive", "confirmed"),
      { what: "root_cause", id: "confirmed_hypothesis", from: null, to: "H2" },
    ]),
    change(5, 31, "ours", [
      verdict("H4", "pending", "inconclusive"),
      verdict("H2", "pending", "inconclusive"),
    ]),
    change(4, 97, "foreign", [verdict("H1", "pending", "rejected")]),
    change(
      3,
      190,
      "foreign",
      ["H1", "H2", "H3", "H4", "H5"].map((id) => verdict(id, null, "pending")),
    ),
  ];
}
