import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { Format, UnreadTool, WorkspaceView } from "../src/host/bindings";
import { MemoryHost, SAMPLE_WORKSPACES } from "../src/host/memory";
import { failure } from "../src/host/memory-list";
import { sampleCopy } from "../src/host/sample-team";
import { LOOKED_FOR } from "../src/views/list/places";
import { violations } from "./axe";
import { rustSource, wordsOf } from "./lists";
import { mountApp, NOW, sampleHost } from "./mount";
import { click, fill, press } from "./person";

const placesOf = (format: Format) => LOOKED_FOR.find(({ formats }) => formats.includes(format))!.places;

/** The value of a constant in Rust. */
function constant(file: string, name: string): string {
  const value = new RegExp(`const ${name}: &str = "([^"]+)"`).exec(rustSource(file))?.[1];
  if (value === undefined) throw new Error(`no ${name} in ${file}`);
  return value;
}

/** Where a reader of plans says that its files are. */
function placesOfReader(format: string): string[] {
  const file = `plans/src/formats/${format}.rs`;
  const [, found = ""] = /fn found\(&self\)[^{]*\{([^]*?)\n {4}\}/.exec(rustSource(file)) ?? [];
  const text = (value: string) => (value.startsWith('"') ? value.slice(1, -1) : constant(file, value));
  const one = /Found::(?:File\(("[^"]+"|\w+)\)|Each\w+ \{ root: ("[^"]+"), (file|ending): ("[^"]+"|\w+) \})/g;
  return [...found.matchAll(one)].map(([, path, root, kind, name]) =>
    path ? text(path) : `${text(root!)}/*${kind === "file" ? "/" : ""}${text(name!)}`,
  );
}

const CORE = ["loop_v2", "loop_b", "v1", "legacy", "aot", "ralph", "unknown"];
const PLANS = wordsOf("Format").filter((format) => !CORE.includes(format)) as Format[];

describe("what is looked for", () => {
  it("has every format of the window once, except the unknown one", () => {
    const listed = LOOKED_FOR.flatMap(({ formats }) => formats);
    expect([...listed, "unknown"].sort()).toEqual(wordsOf("Format").sort());
  });

  it.each(PLANS)("of %s is where its reader looks", (format) => {
    const read = placesOfReader(format);
    expect(read.length).toBeGreaterThan(0);
    expect([...placesOf(format)].sort()).toEqual(read.sort());
  });

  it("of our own loops is where they are", () => {
    const layout = "core/src/layout.rs";
    const ralph = "core/src/formats/ralph/mod.rs";
    expect(placesOf("aot")).toEqual([constant(layout, "AOT_FILE")]);
    expect(placesOf("ralph")).toEqual([`${constant(ralph, "ROOT")}/*/${constant(ralph, "LIST")}`]);
    const roots = [constant(layout, "CCW_ROOT"), ".loop"];
    expect(rustSource(layout)).toContain(`CCW_ROOTS: [&str; 2] = [CCW_ROOT, "${roots[1]}"]`);
    const session = `${constant(layout, "SESSIONS")}/${constant(layout, "SESSION_NAME")}*/`;
    const all = ["", session].flatMap((top) => roots.map((root) => `${top}${root}/*.json`));
    expect(placesOf("loop_v2")).toEqual(all);
  });
});

const KIRO: UnreadTool = { name: "Kiro", file: ".kiro/specs", advice: "elsewhere" };
const ARCHON: UnreadTool = { name: "Archon", file: ".archon/workflows", advice: "database" };

/** The backend knows these tools in folders, and counts how often it is asked. */
function recognises(host: MemoryHost, tools: Readonly<Record<string, UnreadTool>>): string[] {
  const asked: string[] = [];
  const { folderFacts } = host.runs;
  host.runs.folderFacts = async (path) => {
    asked.push(path);
    return { ...(await folderFacts(path)), unread: tools[path] ? [tools[path]] : [] };
  };
  return asked;
}

function hostOf(...folders: WorkspaceView[]): MemoryHost {
  const host = new MemoryHost();
  host.fill([], folders);
  return host;
}

const [STORE, BILLING] = SAMPLE_WORKSPACES as [WorkspaceView, WorkspaceView];

describe("folders with no loop and no plan", () => {
  it("say so, which tools’ files were looked for and where, and start a loop", async () => {
    const container = await mountApp(hostOf(STORE, BILLING));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toContain("No loops or plans found");
    const list = screen.getByTestId("looked-for");
    expect((list as HTMLDetailsElement).open).toBe(false);
    await click(within(list).getByText("What Loopdeck reads, and where"));
    const rows = [...list.querySelectorAll(".row")].map((row) => ({
      name: row.querySelector("dt")!.textContent!.trim(),
      places: [...row.querySelectorAll("dd code")].map((code) => code.textContent),
    }));
    expect(rows).toHaveLength(LOOKED_FOR.length);
    const kit = { name: "Spec Kit", places: ["specs/*/tasks.md", ".specify/specs/*/tasks.md"] };
    expect(rows).toContainEqual(kit);
    expect(await violations(container)).toEqual([]);
    await click(screen.getByTestId("start-loop"));
    await screen.findByTestId("goal");
  });

  it("are named where there is one", async () => {
    await mountApp(hostOf(STORE));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toContain("No loops or plans found");
  });

  it("tell of the tools that are there and not read, of each folder", async () => {
    const host = hostOf(STORE, { ...BILLING, silent: false });
    recognises(host, { [STORE.folder]: KIRO, [BILLING.folder]: ARCHON });
    await mountApp(host);
    await waitFor(() => expect(screen.getAllByTestId("folder-tools")).toHaveLength(2));
    const [one, other] = screen.getAllByTestId("folder-tools").map(({ textContent }) => textContent);
    expect(one).toContain("storefront");
    expect(one).toContain("Kiro (.kiro/specs): read its files as documents");
    expect(other).toContain(
      "Archon (.archon/workflows): its state is in a database. Look in the tool itself.",
    );
    for (const tools of screen.getAllByTestId("unread-tools"))
      expect((tools as HTMLDetailsElement).open).toBe(true);
  });

  it("are not looked at while they are away", async () => {
    const away = { ...STORE, id: "w6", folder: "/mnt/gone", reachable: false };
    const silent = { ...STORE, id: "w7", folder: "/mnt/slow", silent: true };
    const copy = { ...sampleCopy(NOW), folder: "/home/ana/copy" };
    const host = hostOf(STORE, away, silent, copy, BILLING);
    const asked = recognises(host, { [BILLING.folder]: KIRO });
    await mountApp(host);
    await screen.findByTestId("folder-tools");
    expect(new Set(asked)).toEqual(new Set([STORE.folder, BILLING.folder]));
  });

  it("say when they can’t be looked at, and are looked at again", async () => {
    const host = hostOf(STORE, BILLING);
    const { folderFacts } = host.runs;
    host.runs.folderFacts = async () => {
      throw failure("disk");
    };
    await mountApp(host);
    expect(await screen.findAllByTestId("failure")).toHaveLength(1);
    host.runs.folderFacts = folderFacts;
    await click(within(screen.getByTestId("failure")).getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.queryByTestId("failure")).toBeNull());
  });
});

describe("a folder that is shown alone", () => {
  it("tells below its loops what is not read, asked once", async () => {
    const host = sampleHost();
    const asked = recognises(host, { [STORE.folder]: KIRO });
    await mountApp(host);
    expect(screen.queryByTestId("folder-tools")).toBeNull();
    await click(screen.getAllByTestId("workspace")[0]!);
    const tools = await screen.findByTestId("folder-tools");
    expect(tools.textContent).toContain("Other tools here that Loopdeck doesn’t read: 1");
    expect(tools.textContent).toContain("Kiro (.kiro/specs)");
    expect(screen.getAllByTestId("loop-row").length).toBeGreaterThan(1);
    // Its view is another object whenever something about it changes.
    const orphans = { orphans: [".loop/a.progress"], orphans_total: 1 };
    host.fill(host.rows(), [{ ...STORE, ...orphans }, ...SAMPLE_WORKSPACES.slice(1)]);
    await screen.findByTestId("orphans");
    await press("{End} cache", screen.getByTestId("filter"));
    await waitFor(() => expect(screen.getAllByTestId("loop-row")).toHaveLength(1));
    expect(asked).toEqual([STORE.folder]);
    await click(screen.getByTestId("nav-loops"));
    await waitFor(() => expect(screen.queryByTestId("folder-tools")).toBeNull());
  });

  it("says that it has nothing, and what is there instead", async () => {
    const host = sampleHost();
    const empty = { ...STORE, id: "w9", name: "empty", path: "~/empty", folder: "/home/ana/empty", loops: 0 };
    host.fill(host.rows(), [...SAMPLE_WORKSPACES, empty]);
    recognises(host, { [empty.folder]: ARCHON });
    await mountApp(host);
    await fill(screen.getByTestId("filter"), "w:empty");
    const page = await screen.findByTestId("empty-folder");
    expect(page.textContent).toContain("No loops or plans found");
    expect(within(page).getByTestId("looked-for")).toBeTruthy();
    expect((await within(page).findByTestId("unread-tools")).textContent).toContain("Archon");
    await click(within(page).getByRole("button", { name: "Clear filter" }));
    await waitFor(() => expect(screen.queryByTestId("empty-folder")).toBeNull());
    await fill(screen.getByTestId("filter"), "w:storefront nothing-has-this");
    await screen.findByText("Nothing matches.");
    expect(screen.queryByTestId("empty-folder")).toBeNull();
  });
});

describe("the first start", () => {
  it("says what can be read, and where", async () => {
    await mountApp(new MemoryHost());
    expect(document.body.textContent).toContain(
      "Spec Kit, OpenSpec, GSD, Task Master, BMAD, AoT, CCW and more",
    );
    expect(within(screen.getByTestId("looked-for")).getByText("What Loopdeck reads, and where")).toBeTruthy();
  });
});
