import type * as en from "../en/documents";
import type { Translated } from "../message";

/** 文書とログの閲覧。 */
export const reader = {
  show: "表示方法",
  shown: { rendered: "整形", entries: "項目", source: "ソース" },
  find: "この文書内を検索",
  findKeys: "この文書内を検索（{keys}）",
  hitsOf: "{count} 件中 {at} 件目",
  hitsOfMany: "{count} 件以上中 {at} 件目",
  noHits: "見つかりません",
  next: "次へ（Enter）",
  previous: "前へ（Shift+Enter）",
  closeFind: "検索を閉じる",
  copy: "全文をコピー",
  versions: "版",
  versionNow: "現在の内容",
  versionItem: "{what} · {time}",
  versionThen: "{time} の内容（{who}）。保存されるのは、Loopdeck が書いたか置き換えた版だけです。",
  backToNow: "現在に戻る",
  copyLink: "リンクをコピー",
  copyCode: "このコードをコピー",
  tooLongToSearch: "テキストが長すぎてここでは検索できません。ファイルを開いてください。",
  tooLong: "テキストが長すぎてここではコピーできません。ファイルを開いてください。",
  table: "表",
  checked: "完了：",
  unchecked: "未完了：",
  leadsTo: "リンク先：{address}",
  image: "画像",
  imageAt: "画像：{address}（読み込みません）",
  address: "リンクのアドレス",
  addressText: "文書はエージェントが書いたものです。開く前に行き先を確かめてください。",
  copyAddress: "アドレスをコピー",
  entries: "{count} 件の項目",
  newLines: "新しい行 {count} 行",
  newEntries: "新しい項目 {count} 件",
  line: "行",
  rest: "その他のフィールド",
} satisfies Translated<typeof en.reader>;

/** Results of atoms, read as documents. */
export const results = {
  title: "アトムの結果",
  of: "{id} の結果",
  showAtom: "グラフで表示",
  copy: "Markdown としてコピー",
  noSummary: "要約は書かれていません。",
  open: "文書として開く",
} as const;
