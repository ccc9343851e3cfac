import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CATALOGUES } from "./catalogues";
import { UI } from "./lists";

/** Phrases that sound translated or are not our term, and what to say instead; see docs/glossary.md. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\bmend(s|ed|ing)?\b/i, "fix"],
  [/\bput(s|ting)? (\w+ ){0,3}right\b/i, "fix"],
  [/\banew\b/i, "start over"],
  [/\bnobody (can tell|knows)\b/i, "unknown"],
  [/\bcan(not|’t|'t) be known\b/i, "unknown"],
  [/\blook(s|ing|ed)? by itself\b/i, "polls, polling is on"],
  [/\b(go|goes|going|went|gone) on\b/i, "continue, resume"],
  [/\b(stands?|stood|standing) (at|here|there|in|on|beside|twice)\b/i, "is at, is in, current phase"],
  [/\b(lies?|lying) (in|here|there|beside|below|outside)\b/i, "is in, contains"],
  [/\bbeside\b/i, "next to, with"],
  [/\b(run|runs|work|works|start|started|agents|branches|rounds|files) at once\b/i, "in parallel"],
  [/\bside by side\b/i, "in parallel"],
  [/\bwhat (it|he|she|they|the \w+) said\b/i, "output"],
  [/\berror channel\b/i, "stderr"],
  [/\bend(s|ed)? well\b/i, "succeeded"],
  [/\b(put|puts|putting) (\w+ ){0,3}back\b/i, "restore"],
  [/\b(take|takes|took|taken) (\w+ )?away\b/i, "remove, discard"],
  [/\b(take|takes|took|taken) (\w+ )?back\b/i, "undo, revoke"],
  [/\bany ?more\b/i, "no longer"],
  [/\b(is|are|processes) left after\b|\bwhat is left\b|\bleftover\b/i, "still running, left-over process"],
  [/\bsomebody else runs\b/i, "running elsewhere"],
  [/\b(a|new|separate|working) copy of the (last commit|repository|folder)\b/i, "worktree"],
  [/\bWhat (is|was) \w+ (is|was)\b/i, "subject, verb, object"],
  [/\bof which (one|two|nobody|somebody)\b/i, "two sentences"],
  [/\bsigns? of life\b/i, "activity"],
  [/\b(bring|brings|brought) (\w+ )?back\b/i, "recover, restore"],
  [/\bby (itself|themselves)\b/i, "automatically"],
  [/\bgot? through\b/i, "succeeded"],
  [/\b(is|are|was|were) told (that|to) go\b/i, "asked to"],
  [/\b(serves?|served) again\b/i, "resets"],
  [/\bsumm(ed|ing) up\b/i, "summary"],
  [/\bhow (it|they) stands?\b/i, "status, current phase"],
  [/\b(that|which|what) stands? there\b/i, "is there, contains"],
  [/\bwho does it\b/i, "agent, runner"],
  [/\bwhat may (it|they) do\b/i, "permissions"],
  [/\bfor ever\b/i, "forever, or how long"],
  [/\bin (the|its) place of\b/i, "instead of, replaces"],
  [/\b(please|oops)\b/i, "leave it out"],
];

/** How words are set, in the catalogues only: code and commands of documents have straight quotes. */
const BANNED_MARKS: readonly (readonly [RegExp, string])[] = [
  [/\w'\w/, "a typographic apostrophe (’)"],
  [/\.\.\./, "an ellipsis (…)"],
  [/ [.;?](\s|$)/, "no space before punctuation"],
  [/\S {2,}\S/, "one space"],
];

/** Words that are not ours in one language: what to look for, and the term. */
const BANNED_ZH: readonly (readonly [RegExp, string])[] = [
  [/原子/, "Atom"],
  [/ [。，；：、]|[。，；：、] /, "no space at full-width punctuation"],
  [/[一-龥”][,;:!?]/, "full-width punctuation in Chinese"],
  [/错误通道/, "stderr"],
  [/退出代码/, "退出码"],
  [/恢复(循环|时)|之后可以恢复/, "继续: 恢复 is for files and versions"],
  [/电脑/, "计算机"],
  [/上限解除/, "上限重置"],
  [/开始(一个)?新?循环/, "启动"],
  [/完成清单/, "完成检查清单"],
  [/历史记录/, "历史"],
  [/花费/, "费用"],
  [/(^|[^时])时段/, "时间段"],
];
const BANNED_JA: readonly (readonly [RegExp, string])[] = [
  [/反復/, "イテレーション"],
  [/写し/, "ワークツリー"],
  [/ [。、：]|[。、：] /, "no space at full-width punctuation"],
  [/[ぁ-んァ-ヶ一-龠」][,;:!?]/, "full-width punctuation in Japanese"],
  [/Atom/, "アトム"],
  [/出来事|できごと/, "イベント"],
  [/方向(を|の)?(変|転)/, "方針"],
  [/上限の?が?解除/, "リセット"],
  [/コピーが/, "版"],
  [/コスト/, "費用"],
  [/版に戻/, "復元"],
  [/上限を増/, "上限を上げる"],
  [/成功率|テスト[^。]*成功|成功したテスト/, "合格"],
];

/** Where a banned phrase is meant, by the place of the text; with the reason. */
const ALLOWED: readonly (readonly [string, RegExp, string])[] = [
  ["docs/glossary.md", /./, "it lists the phrases themselves"],
];

interface Text {
  where: string;
  text: string;
}

const root = join(UI, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Every text of a catalogue, by its path. */
function texts(where: string, value: unknown): Text[] {
  if (typeof value === "string") return [{ where, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => texts(`${where}.${key}`, inner));
}

/** A document as paragraphs, so that a phrase is found across the end of a line. Code is not prose. */
function paragraphs(file: string): Text[] {
  const prose = read(file).replace(/```[\s\S]*?```/g, "");
  return prose.split(/\n\s*\n|\n(?=[-|#])/).map((part) => ({
    where: file,
    text: part.replace(/`[^`\n]*`/g, "`…`").replace(/\s+/g, " "),
  }));
}

/** A document as its lines and cells. */
function lines(file: string): Text[] {
  const prose = read(file).replace(/```[\s\S]*?```/g, "");
  return prose
    .split(/\n|\|/)
    .map((part) => ({ where: file, text: part.replace(/`[^`\n]*`/g, "`…`").trim() }));
}

/** What the help of the command line says of an option or a command: the comment above its attribute. */
function argumentHelp(file: string): Text[] {
  const comments = read(file).matchAll(/((?:^ +\/\/\/.*\n)+) +#\[(?:arg|command)\(/gm);
  return [...comments].map(([, comment = ""]) => ({
    where: file,
    text: comment
      .replace(/^ +\/\/\/ ?/gm, "")
      .replace(/\s+/g, " ")
      .trim(),
  }));
}

/** Files below the root, all of `folder` or one. */
function listed(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
}

function found(all: readonly Text[], banned: typeof BANNED): string[] {
  return all.flatMap(({ where, text }) =>
    banned.flatMap(([phrase, instead]) => {
      const hit = phrase.exec(text);
      const allowed = ALLOWED.some(([place, word]) => place === where && hit !== null && word.test(hit[0]));
      return hit === null || allowed ? [] : [`${where}: “${hit[0]}” in “${text}”; say: ${instead}`];
    }),
  );
}

describe("The glossary", () => {
  it("is kept by the window's words", () => {
    expect(found(texts("en", CATALOGUES.en), [...BANNED, ...BANNED_MARKS])).toEqual([]);
  });

  it("is kept by the words of the shell and the command line", () => {
    const json = ["src-tauri/words/en.json", "src-tauri/cli/words/en.json"].flatMap((file) =>
      texts(file, JSON.parse(read(file))),
    );
    expect(json.length).toBeGreaterThan(100);
    const folders = ["src-tauri/cli/src", "src-tauri/cli/src/run"];
    const options = folders.flatMap((folder) => listed(folder, ".rs")).flatMap(argumentHelp);
    expect(options.length).toBeGreaterThan(80);
    const help = [...listed("src-tauri/cli/words/help", ".txt").flatMap(paragraphs), ...options];
    expect(found([...json, ...help], BANNED)).toEqual([]);
    expect(found(json, BANNED_MARKS.slice(0, 3))).toEqual([]); // two spaces align the columns of a terminal
  });

  it("is kept by the documents", () => {
    const documents = listed("docs", ".md");
    const prose = ["README.md", "ARCHITECTURE.md", ...documents].flatMap(paragraphs);
    expect(prose.length).toBeGreaterThan(20);
    expect(found(prose, BANNED)).toEqual([]);
  });

  it.each([
    ["en", BANNED],
    ["zh-CN", BANNED_ZH],
    ["ja", BANNED_JA],
  ] as const)("is kept by the user guide in %s", (lang, banned) => {
    const pages = listed(`docs/guide/${lang}`, ".md");
    expect(pages.length).toBeGreaterThan(5);
    // A line ends without a space in Chinese and Japanese, so each line and each cell is one text.
    const prose = pages.flatMap(lang === "en" ? paragraphs : lines);
    expect(prose.length).toBeGreaterThan(100);
    expect(found(prose, banned)).toEqual([]);
  });

  it("is kept in Chinese and Japanese", () => {
    const shell = (name: string) => texts(name, JSON.parse(read(`src-tauri/words/${name}.json`)));
    expect(found([...texts("zh", CATALOGUES["zh-CN"]), ...shell("zh-CN")], BANNED_ZH)).toEqual([]);
    expect(found([...texts("ja", CATALOGUES.ja), ...shell("ja")], BANNED_JA)).toEqual([]);
  });

  it.each([
    ["Nobody can tell without asking it", "unknown"],
    ["The list beside the loop", "next to, with"],
    ["This version is not kept any more.", "no longer"],
    ["The branches run at once.", "in parallel"],
    ["Put the file back", "restore"],
    ["What is asked is the goal.", "subject, verb, object"],
    ["No sign of life for 9 min", "activity"],
    ["It resumes by itself.", "automatically"],
  ])("finds “%s”", (text, instead) => {
    expect(found([{ where: "x", text }], BANNED).join()).toContain(`say: ${instead}`);
  });
});
