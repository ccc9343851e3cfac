import type { en } from "../en";
import type { Translated } from "../message";

export const followUp = {
  title: "後続の作業",
  help: "このループの成果から新しいループを始めます。実行前にフォームを変更できます。",
  start: "ループを開始…",
  startNamed: "ループを開始：{kind}",
  parent: "{title} の後続",
  child: "{kind}：{title}",
  children: "このループの後続ループ",
  filled: "「{title}」をもとに入力しました。新しいループの説明にそのループの名前が入ります。",
  kind: { test: "テスト", enhance: "機能強化", refactor: "リファクタリング", doc: "ドキュメント" },
  goal: {
    test: "「{title}」で行った作業のテストを拡充します。",
    enhance: "「{title}」で行った作業を強化し、まだ足りないものを加えます。",
    refactor: "「{title}」で変更したコードを、動作を変えずにリファクタリングします。",
    doc: "「{title}」で行った作業のドキュメントを書きます。",
  },
  because: {
    not_validated: "合格したテスト実行がありません。",
    skipped_tests: "直近の実行で {count} 件のテストがスキップされました。",
    covered: "直近の実行は文の {count}% をカバーしました。",
    tests_passed: "直近の実行で {count} 件のテストが合格しました。",
    tasks_left: "{count} 件のタスクが未完了です。",
    tasks_done: "{count} 件のタスクが完了しています。",
    files_changed: "{count} 個のファイルが変更されました。",
  },
} satisfies Translated<typeof en.followUp>;
