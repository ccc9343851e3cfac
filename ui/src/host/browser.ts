import type { LoopRow } from "./bindings";
import { MemoryHost, SAMPLE_WORKSPACES } from "./memory";
import { manyRows, sampleRows } from "./sample-rows";
import { manyEvents } from "./sample-timeline";

/** As long as titles and paths become, to see where they break. */
function long(row: LoopRow): Partial<LoopRow> {
  const folders = Array.from({ length: 9 }, (_, index) => `packages/some-rather-deep-folder-${index}`).join(
    "/",
  );
  return {
    title: `${row.title} ${"with every word that somebody could think of ".repeat(5)}`,
    file: `${folders}/${row.file}`,
  };
}

/** Thousands of events and documents of several megabytes. */
function makeBig(host: MemoryHost): void {
  host.documents.big = true;
  for (const row of host.rows().filter((one) => one.format === "loop_v2")) {
    const events = manyEvents(row, 5_000);
    host.detail(row.key, { events, events_total: 12_345, cut_files: ["debug.log"] });
  }
}

/** The host of a plain browser; `?loops=3&lang=ja&theme=dark&long&big` choose what to look at. */
export function browserHost(params: URLSearchParams): MemoryHost {
  const host = new MemoryHost();
  host.landAfter = 900;
  host.settings = {
    theme: params.get("theme") ?? "system",
    language: params.get("lang") ?? "system",
    density: params.get("density") ?? "comfortable",
  };
  const count = params.get("loops");
  const now = Date.now();
  if (count === null) host.fill(sampleRows(now), SAMPLE_WORKSPACES);
  else if (count === "empty") host.fill([], SAMPLE_WORKSPACES.slice(0, 2));
  else if (Number(count) > 0) {
    const rows = Number(count) > 16 ? manyRows(Number(count), now) : sampleRows(now).slice(0, Number(count));
    host.fill(rows, SAMPLE_WORKSPACES);
  }
  if (params.has("long")) for (const row of host.rows()) host.write(row.key, long(row));
  if (params.has("big")) makeBig(host);
  const opened = params.get("open");
  if (opened) host.open = host.rows().find((row) => row.title.startsWith(opened))?.key ?? null;
  if (params.has("polling")) host.watching = { folders: 0, polling: 5, reason: "limit", checked: now };
  return host;
}
