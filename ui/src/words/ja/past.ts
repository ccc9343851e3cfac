import type * as en from "../en/past";
import type { Translated } from "../message";

export const repair = {
  recount: "数え直す",
  split_glued_lines: "1 行に 1 タスク",
  clean_task_list: "タスク一覧を整える",
  strip_trailing_garbage: "状態より後を取り除く",
  reset_orphans: "タスクを未着手に戻す",
  clear_stale_end: "以前の終了の記録を消す",
  unknown_status: "不明な状態を置き換える",
  orphaned_atoms: "アトムを未着手に戻す",
  unescaped_quotes: "引用符をエスケープする",
  layout: "プラグイン用に配置を直す",
} satisfies Translated<typeof en.repair>;

export const repairEffect = {
  recount: "一覧からカウンターを計算し直します。一覧は変わりません。",
  split_glued_lines: "タスク一覧を 1 行に 1 タスクにします。タスクの内容は変わりません。",
  clean_task_list: "読めない行をタスク一覧から取り除きます。バックアップにあるタスクは復元されます。",
  clean_task_list_counted:
    "読めない行をタスク一覧から取り除きます。バックアップから復元されるタスクは {restored} 件、失われる行は {lost} 行です。",
  strip_trailing_garbage: "ファイルの先頭にある完全な状態を残し、その後をすべて取り除きます。",
  reset_orphans: "作業者のいないタスクを未着手に戻し、エージェントがもう一度取れるようにします。",
  clear_stale_end: "以前の終了が残した理由と時刻を取り除きます。",
  unknown_status: "不明な状態 {count} 個を置き換えます。ループは stopped、アトムは pending になります。",
  orphaned_atoms: "作業者のいないアトム {count} 個を未着手に戻します。",
  unescaped_quotes: "{count} 行の文中の引用符をエスケープします（最初は {line} 行目）。ほかは変わりません。",
  layout:
    "プラグインが読む書き方に行を書き直します（規則 {rules}）。値は変わりません。その行のコメントは削除されます（{comments} 件）。",
} satisfies Translated<typeof en.repairEffect>;

export const repairs = {
  button: "修復",
  named: "修復：{name}",
  command: "修復：{name} · {title}",
  done: "修復を行いました（{name}）。",
} satisfies Translated<typeof en.repairs>;

export const done = {
  undo: "元に戻す",
  undoHint: "{text}タブの上から元に戻せます。",
  undone: "元に戻しました。",
  recovered: "ファイルを復旧しました。壊れたファイルは {aside} として残しています。",
  restored: "{time} の版を復元しました。",
} satisfies Translated<typeof en.done>;

export const recoveryWay = {
  last_good: "最後に読めた版",
  backup: "バックアップ",
  prefix: "ファイルの読める部分",
  elsewhere: "別のファイルで発見",
  rebuilt: "組み立て直し",
} satisfies Translated<typeof en.recoveryWay>;

export const recoveryWayText = {
  last_good: "Loopdeck が読めた最新の版です。その後の変更は含まれません。",
  backup: "この形式がファイルと同じ場所に残すバックアップです。最後の版より古いことがあります。",
  prefix: "壊れたファイルから読める内容です。欠けている項目は空で始まります。",
  elsewhere: "別のループのファイルにあった、このループの状態です。2 つのファイルが入れ替わっていました。",
  rebuilt:
    "壊れたファイル、最後に読めた版、同じ場所のファイルを、新しいものを優先して組み合わせました。書き込む前にすべての項目を確認してください。",
} satisfies Translated<typeof en.recoveryWayText>;

export const recoverySource = {
  stem: "ファイル名",
  prefix: "壊れたファイル",
  elsewhere: "別のループのファイル",
  last_good: "最後に読めた版",
  proposed: "Loopdeck の提案（確認してください）",
  missing: "見つからないため空欄",
  backup: "バックアップ",
} satisfies Translated<typeof en.recoverySource>;

export const recovery = {
  open: "復旧…",
  command: "「{title}」を復旧",
  title: "「{title}」を復旧",
  loading: "復旧できる内容を探しています…",
  ways: "復旧の方法",
  there: "今のファイル",
  proposal: "提案",
  fields: "各項目の出どころ",
  field: "項目",
  source: "出どころ",
  lost: "この提案にない内容",
  lostNone: "失われたと分かっている内容はありません。",
  figures: "既知の値 {total} 個のうち {count} 個を復旧します。",
  another: "このファイルには別のループの状態が入っています。",
  typeIn: "不足している値の入力",
  typeInHelp:
    "これらの値は Loopdeck が仮に決めたものです。この版を書き込むときに、入力した内容に置き換えます。",
  lossy: "文字でないバイトは表示用に置き換えました。壊れたファイルには元のバイトが残ります。",
  promise: "ボタンを押すまで何も書き込みません。壊れたファイルは {aside} として残します。",
  write: "この版を書き込む",
  changed: "ファイルが変わりました。書き込む前にもう一度確認してください。",
  again: "再確認",
  noneTitle: "このファイルを復旧できる内容は見つかりませんでした。",
  noneText:
    "ファイルをご自分で直すか、「履歴」から以前の版を復元してください。ファイルが変わると、Loopdeck は読み直します。",
  showHistory: "履歴を表示",
} satisfies Translated<typeof en.recovery>;

export const apiField = {
  title: "タイトル",
  description: "説明",
  status: "状態",
  current_iteration: "現在のイテレーション",
  max_iterations: "イテレーションの上限",
  created_at: "作成日時（UTC）",
  tags: "タグ（コンマ区切り）",
  priority: "優先度",
  notes: "メモ",
} satisfies Translated<typeof en.apiField>;

export const statusChoice = {
  created: "未開始",
  running: "実行中（中断と表示）",
  paused: "一時停止",
  completed: "完了",
  failed: "失敗",
  user_exit: "ユーザーが終了",
} satisfies Translated<typeof en.statusChoice>;

export const versionWriter = {
  ours: "Loopdeck",
  foreign: "別のプログラム",
} satisfies Translated<typeof en.versionWriter>;

export const writeCause = {
  start: "開始",
  pause: "一時停止",
  resume: "再開",
  stop: "停止",
  reopen: "再オープン",
  finalise: "停止済みとして記録",
  edit_metadata: "情報の編集",
  undo: "最後の変更を元に戻した",
  restore: "以前の版に戻した",
  late: "別のプログラムの後からの変更を残した",
  repair: "修復",
  recover: "復旧",
  edit_tasks: "タスクの編集",
  move_tasks: "タスクの編集（一覧をアップストリームのサーバーが読む場所へ移動）",
  new_loop: "新しいループに置き換え",
  operate: "段階を記録",
  redirect: "方針の変更",
} satisfies Translated<typeof en.writeCause>;

export const history = {
  label: "版（新しい順）",
  foreign: "変更",
  current: "今のファイル",
  unreadable: "読めません",
  versionName: "{what}、{time}、{who}、{size}",
  empty: "版はまだありません",
  emptyHint: "Loopdeck を開いている間にこのファイルが変わるたびに、1 つの版を残します。",
  kept: "版は 30 日間残ります。各ループの最新 10 個はそれより長く残ります。",
  older: "さらに古い版を表示",
  choose: "版を選ぶと、そのときのループを表示します。",
  chooseKeys: "矢印キーで移動、Enter で開きます。",
  asItWas: "{time} の時点",
  isNow: "ファイルの現在の内容です。",
  parts: "この版の各部分",
  compare: "今と比べる",
  then: "そのとき",
  now: "今のファイル",
  noRows: "以前の版の個々のテストは、その版のソースにあります。",
  restore: "この版に戻す…",
  restoreTitle: "{time} の版に戻しますか？",
  restoreText:
    "この版をファイルに書き込みます（{size}）。現在の内容は 1 つの版として残り、この操作は元に戻せます。",
  restoreUnreadable: "この版はループとして読めないため、ループは壊れたものとして表示されます。",
  restoreActive: "エージェントがこのループで作業中かもしれません。復元した版を上書きすることがあります。",
  restoreConfirm: "この版に戻す",
} satisfies Translated<typeof en.history>;

export const changed = {
  fact: "{id}",
  task: "タスク {id}",
  listed_task: "tasks.jsonl からのタスク {id}",
  hypothesis: "仮説 {id}",
  root_cause: "根本原因",
  atom: "アトム {id}",
  branch: "{id} の選択",
  test_run: "テスト実行 {id}",
  worker: "ワーカー {id}",
  correction: "修正 {id}",
  errors: "エラー",
} satisfies Translated<typeof en.changed>;

export const changes = {
  since: "その後の変更 {count} 件",
  became: "{what}：{from} → {to}",
  added: "{what}：{to}（新規）",
  gone: "{what}：{from}（削除）",
} satisfies Translated<typeof en.changes>;

export const diff = {
  label: "{left}と{right}を行ごとに比較",
  same: "違いはありません。",
  count: "違いは {count} か所",
  next: "次の違い",
  previous: "前の違い",
  tooLong: "{count} 行を超えるため、違いに印を付けていません。",
  tooLongToShow: "{count} 行を超えるため、ここでは比べられません。",
  cutLines: "各行の先頭 {count} 文字までを比べています。",
} satisfies Translated<typeof en.diff>;
