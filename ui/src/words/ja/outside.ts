/** Loopdeck の外で開くファイルとアドレス。 */
export const outside = {
  openIn: "エディターで {place} を開く",
  openLocation: "エディターで開く",
  openFile: "ファイルを開く",
  opened: "エディターで開きました：{place}",
  cannot: "{place}：{reason}",
  copyInstead: "{place} は開けません：{reason}クリックするとコピーします。",
  noEditorTitle: "{place} を開く",
  noEditorText: "場所をコピーしてご自分で開くか、先にエディターを設定してください。",
  copyPlace: "場所をコピー",
  setEditor: "エディターを設定",
  goesTo: "ブラウザーで {host} を開きます。",
  writesTo: "メールソフトを開きます。",
  goesNowhere: "文書から開けるのはウェブとメールのアドレスだけです。",
  openAddress: "開く",
  saved: "保存しました：{path}",
  saveMarkdown: "アウトラインを Markdown として保存…",
} as const;

/** ファイルを開けない理由。 */
export const sight = {
  there: "開くことができます。",
  missing: "このワークスペースにそのファイルはありません。",
  outside: "このワークスペースの外にあります。",
  not_a_file: "通常のファイルではありません。",
} as const;

/** 設定のエディター。 */
export const editor = {
  label: "エディター",
  help: "ループが挙げるファイルを、その行で開きます。",
  auto: "自動",
  autoIs: "自動：{name}",
  autoNone: "自動：見つかりません",
  notFound: "{name}（見つかりません）",
  custom: "独自のコマンド",
  command: "プログラムと引数を 1 行に 1 つずつ",
  commandHelp: "{file} は単独の行でファイルを、{line} と {column} は位置を表します。シェルは通しません。例：",
  tryIt: "試す",
  tried: "エディターを起動しました。3 行目でテスト用のファイルが表示されるはずです。",
  testText:
    "これは Loopdeck のテスト用ファイルです。\n\nカーソルはこの 3 行目にあるはずです。\nこのファイルは閉じてかまいません。\n",
} as const;
