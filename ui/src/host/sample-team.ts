import type { FolderView, LoopRow, TeamPage, TriedTeam, WorkspaceView } from "./bindings";
import { workspaceView } from "./memory-list";
import { sampleJobs, sampleOffer } from "./sample-jobs";
import { sampleRows } from "./sample-rows";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** This machine is in a team with three others: a node and a viewer are there, a member is not. */
export function sampleTeam(now: number): TeamPage {
  return {
    team: {
      seat: { member: "ana", machine: "desk" },
      role: "lead",
      servers: ["tls://team.example.net:4222"],
      connection: { kind: "connected", server: "2.12.1" },
      refused: null,
      machines: [
        {
          seat: { member: "ada", machine: "laptop" },
          role: "member",
          seen: now - 3 * HOUR,
          reachable: false,
          clock_ahead: null,
          version: "0.1.0",
          folders: ["shop"],
          offer: null,
        },
        {
          seat: { member: "ada", machine: "tower" },
          role: "node",
          seen: now - 4_000,
          reachable: true,
          clock_ahead: null,
          version: "0.1.0",
          folders: [],
          offer: sampleOffer(),
        },
        {
          seat: { member: "ana", machine: "desk" },
          role: "lead",
          seen: now,
          reachable: true,
          clock_ahead: null,
          version: "0.1.0",
          folders: ["storefront"],
          offer: null,
        },
        {
          seat: { member: "ben", machine: "build-2" },
          role: "viewer",
          seen: now - 20_000,
          reachable: true,
          clock_ahead: null,
          version: "0.1.0",
          folders: [],
          offer: null,
        },
      ],
      waiting: 1,
      answers: [
        {
          seat: { member: "ada", machine: "laptop" },
          file: ".workflow/.loop/loop-v2-checkout.json",
          verb: "pause",
          at: now - 4 * HOUR,
          refused: null,
        },
      ],
      too_large: [],
      full: null,
    },
    folders: [sampleFolder("storefront", "state"), sampleFolder("billing-core", null)],
    jobs: sampleJobs(now),
  };
}

function sampleFolder(name: string, scope: FolderView["scope"]): FolderView {
  const names = ["loop-v2-auth.json", "loop-v2-cart.json"].map((file) => `.workflow/.loop/${file}`);
  const further = ["acceptance.md", "debug.log", "execution.ndjson"];
  const progress = further.map((file) => `.workflow/.loop/loop-v2-auth.progress/${file}`);
  return {
    folder: `/home/ana/code/${name}`,
    path: `~/code/${name}`,
    name,
    scope,
    steering: "leads",
    rows: { files: names.length, bytes: 4_210, names },
    state: { files: names.length, bytes: 34_120, names },
    progress: { files: 5, bytes: 121_400, names: [...names, ...progress].sort() },
  };
}

/** What the invitation of this machine allows. */
export function sampleTriedTeam(until: number | null): TriedTeam {
  return {
    seat: { member: "ana", machine: "desk" },
    server: "2.12.1",
    encrypted: true,
    token_only: false,
    role: "lead",
    can: ["see", "share", "steer_as_member", "steer_as_lead"],
    until,
  };
}

/** The copy of a folder of ada’s laptop. */
export function sampleCopy(since: number | null): WorkspaceView {
  return {
    ...workspaceView("c1", "shop · ada · laptop", "~/.local/share/loopdeck/team/copies/ada.laptop/shop"),
    elsewhere: {
      member: "ada",
      machine: "laptop",
      unreachable_since: since,
      steerable: true,
      rows_only: false,
      output: true,
    },
  };
}

/** Two loops in it: one works, one is paused. */
export function sampleCopyRows(now: number): LoopRow[] {
  const find = (word: LoopRow["word"]) =>
    sampleRows(now).find((row) => row.word === word && row.handling === "driven");
  return [find("running_elsewhere"), find("paused")]
    .filter((row) => row !== undefined)
    .map((row) => ({
      ...row,
      workspace: "c1",
      key: `c1:${row.file}`,
      title: `Shop: ${row.title}`,
      run: null,
      request: null,
    }));
}
