import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Changes } from "../src/host/bindings";
import { manyRows, MemoryHost, SAMPLE_WORKSPACES } from "../src/host/memory";
import { Catalog } from "../src/state/catalog.svelte";
import type { GroupedCommand } from "../src/state/command";
import { commandsMatching } from "../src/state/commands";
import { fuzzyBest, fuzzyPieces, fuzzyScore, wordPieces } from "../src/state/fuzzy";
import { LoopList } from "../src/state/list.svelte";
import { SettingsState } from "../src/state/settings.svelte";
import { NOW, sampleHost } from "./mount";

describe("the filter", () => {
  it("has what words look into when the loops are read, and not first at the first key", async () => {
    const host = new MemoryHost();
    host.fill(manyRows(300, NOW), SAMPLE_WORKSPACES);
    const catalog = new Catalog(host);
    const list = new LoopList(catalog, new SettingsState(host), { asking: new Set() });
    list.follow();
    await catalog.start();
    let read = 0;
    for (const cell of catalog.cells()) {
      const { haystack } = cell;
      Object.defineProperty(cell, "haystack", { get: () => ((read += 1), haystack) });
    }
    list.follow();
    expect(read).toBe(300);
    list.filter = catalog.cells()[Symbol.iterator]().next().value!.row.title;
    list.follow();
    expect(list.found).toBeGreaterThan(0);
    expect(read).toBe(300);
  });
});

describe("the catalog", () => {
  it("pulls all pages of a snapshot", async () => {
    const host = new MemoryHost();
    host.fill(manyRows(1234, NOW), SAMPLE_WORKSPACES);
    const catalog = new Catalog(host);
    await catalog.start();
    expect(catalog.size).toBe(1234);
    expect(catalog.loaded).toBe(true);
  });

  it("pulls again by itself after a pull that failed, the first one too", async () => {
    vi.useFakeTimers();
    const host = sampleHost();
    const { changes } = host;
    let failures = 3;
    host.changes = (since) =>
      failures-- > 0 ? Promise.reject(new Error("gone")) : changes.call(host, since);
    const catalog = new Catalog(host);
    await catalog.start();
    expect([catalog.loaded, catalog.stale]).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(catalog.loaded).toBe(false);
    await vi.advanceTimersByTimeAsync(4_000);
    vi.useRealTimers();
    expect([catalog.loaded, catalog.stale]).toEqual([true, false]);
    expect(catalog.size).toBe(16);
  });

  it("keeps old rows until a second snapshot is complete, then forgets what it did not name", async () => {
    const host = sampleHost();
    const catalog = new Catalog(host);
    await catalog.start();
    const all = host.rows();
    const page = (rows: typeof all, more: boolean, reset: boolean): Changes => ({
      revision: more ? 900 : 901,
      more,
      reset,
      rows,
      removed: [],
      workspaces: [...SAMPLE_WORKSPACES],
      reopening: false,
      watching: host.watching,
      needs: 0,
      now: NOW,
    });
    const pages = [page(all.slice(0, 2), true, true), page(all.slice(2, 4), false, false)];
    const sizes: number[] = [];
    host.changes = async () => {
      sizes.push(catalog.size);
      return pages.shift()!;
    };
    const kept = catalog.cell(all[0]!.key);
    await catalog.reach(901);
    expect(sizes).toEqual([16, 16]);
    expect(catalog.size).toBe(4);
    expect(catalog.cell(all[0]!.key)).toBe(kept);
  });

  it("is not read while folders from last time are still to come", async () => {
    const host = new MemoryHost();
    host.reopening = true;
    const catalog = new Catalog(host);
    await catalog.start();
    expect([catalog.loaded, catalog.isRead]).toEqual([true, false]);
    host.reopening = false;
    await catalog.pull();
    expect(catalog.isRead).toBe(true);
  });

  it("leaves folders alone when a pull says nothing new about them", async () => {
    const host = sampleHost();
    const catalog = new Catalog(host);
    await catalog.start();
    const { workspaces: before, watching } = catalog;
    const [row] = host.rows();
    let loops = before[0]!.loops;
    const changes = host.changes.bind(host);
    host.changes = async (since) => {
      const page = structuredClone(await changes(since));
      page.workspaces[0]!.loops = loops;
      return page;
    };
    host.write(row!.key, { title: "Renamed" });
    await catalog.pull();
    expect(catalog.cell(row!.key)?.row.title).toBe("Renamed");
    expect(catalog.workspaces).toBe(before);
    expect(catalog.watching).toBe(watching);

    loops += 1;
    await catalog.pull();
    expect(catalog.workspaces.map((one) => one === before.find(({ id }) => id === one.id))).toEqual(
      before.map((_, place) => place > 0),
    );
    expect(catalog.workspaces[0]!.loops).toBe(loops);
  });

  it("asks once at a time and reaches the newest revision", async () => {
    const host = sampleHost();
    const catalog = new Catalog(host);
    await catalog.start();
    let under = 0;
    let most = 0;
    const changes = host.changes.bind(host);
    host.changes = async (since) => {
      under += 1;
      most = Math.max(most, under);
      const answer = await changes(since);
      under -= 1;
      return answer;
    };
    const [row] = host.rows();
    for (let index = 0; index < 20; index += 1) host.write(row!.key, { title: `T${index}` });
    await catalog.pull();
    expect(most).toBe(1);
    expect(catalog.cell(row!.key)?.row.title).toBe("T19");
  });

  it("marks the list as stale when a pull fails, and recovers", async () => {
    const host = sampleHost();
    const catalog = new Catalog(host);
    await catalog.start();
    const changes = host.changes.bind(host);
    host.changes = () => Promise.reject(new Error("gone"));
    await catalog.pull();
    expect(catalog.stale).toBe(true);
    host.changes = changes;
    await catalog.pull();
    expect(catalog.stale).toBe(false);
  });
});

describe("fuzzy search", () => {
  it("prefers whole words, then starts of words, then letters in order", () => {
    const best = fuzzyBest(["Rapid slow", "Pause: login", "Copy as url"], "pau", (text) => text, 3);
    expect(best[0]).toBe("Pause: login");
  });

  it("puts what takes something away first only for who asks for it", () => {
    const command = (label: string, harm?: string): GroupedCommand => ({
      id: label,
      label,
      icon: "command",
      group: "loop",
      run: () => undefined,
      ...(harm === undefined ? {} : { harm }),
    });
    const all = [command("削除: Pages", "削除"), command("ループを開く: Pages"), command("ページへ移動")];
    const labels = (query: string) => commandsMatching(all, query, 9).map((one) => one.label);
    expect(labels("pa")).toEqual(["ループを開く: Pages", "削除: Pages"]);
    expect(labels("削除 pages")[0]).toBe("削除: Pages");
  });

  it("says which letters answered, one way for every text that is found", () => {
    const pieces = (query: string, text: string) =>
      fuzzyPieces(query, text)
        .map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))
        .join("");
    expect(pieces("paus", "Pause: login")).toBe("[Paus]e: login");
    expect(pieces("open chkout", "Open Checkout")).toBe("[Open] [Ch]ec[kout]");
    expect(pieces("ページ", "ループを開く: ページ")).toBe("ループを開く: [ページ]");
    expect(pieces("", "Pause")).toBe("Pause");
    fc.assert(
      fc.property(fc.string(), fc.string(), (query, text) => {
        const said = fuzzyPieces(query, text);
        expect(said.map((piece) => piece.text).join("")).toBe(text);
        const found = query.trim() !== "" && fuzzyScore(query.trim(), text) !== null;
        const hit = said.some((piece) => piece.hit);
        if (text.toLowerCase().length === text.length) expect(hit).toBe(found);
      }),
    );
  });

  it("says where a text has the words of a filter, in every script", () => {
    const pieces = (words: string[], text: string) =>
      wordPieces(words, text)
        .map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))
        .join("");
    expect(pieces(["login"], "Login: the login page")).toBe("[Login]: the [login] page");
    expect(pieces(["log", "login"], "Relogin")).toBe("Re[login]");
    expect(pieces(["会话", "登录"], "登录：把会话移到 Redis")).toBe("[登录]：把[会话]移到 Redis");
    expect(pieces(["ログイン"], "ログイン画面")).toBe("[ログイン]画面");
    expect(pieces(["nothing"], "Login")).toBe("Login");
    expect(pieces(["i"], "İstanbul")).toBe("İstanbul");
  });

  it("refuses letters that do not come in order", () => {
    expect(fuzzyScore("zx", "xz")).toBeNull();
  });
});
