import type * as en from "../en/controls";
import type { Translated } from "../message";

export const effect = {
  pause_before_next_action: "次のアクションの前に効きます。進行中のアクションは先に終わります。",
  pause_now: "このループで作業中のエージェントはないため、すぐに一時停止します。",
  pause_after_iteration:
    "この形式に一時停止はありません。Loopdeck は反復を最後まで行わせ、成果をすべて残します。後で続けられます。",
  stop_elsewhere:
    "ループをあなたが停止したものとして記録します。別の場所のエージェントは次のアクションの前に気付きます。ファイルの変更は残ります。",
  stop_now: "ループをあなたが停止したものとして記録します。ファイルの変更は残ります。",
  stop_after_iteration: "この反復の後に停止するよう求めます。変更は残ります。",
  resume_by_hand:
    "ファイルに running と書き込みます。Loopdeck はまだエージェントを起動しません。このフォルダーで {command} を実行すると、{limit} 回中 {iteration} 回目の反復から続きます。",
  resume_by_hand_resets_atoms:
    "ファイルに running と書き込み、中断したアトム {count} 個を未着手に戻します。Loopdeck はまだエージェントを起動しません。このフォルダーで {command} を実行すると、{limit} 回中 {iteration} 回目の反復から続きます。",
  start_by_hand:
    "ファイルに running と書き込みます。Loopdeck はまだエージェントを起動しません。このフォルダーで {command} を実行すると、{iteration} 回目の反復（最大 {limit} 回）が始まります。",
  reopen_by_hand:
    "終了したループを実行中に戻します。Loopdeck はまだエージェントを起動しません。このフォルダーで {command} を実行すると、{limit} 回中 {iteration} 回目の反復から続きます。",
  reopen_nothing_to_do:
    "残っている作業がないため、ループはすぐにまた完了します。先に説明を変えて新しい作業を与えてください。そのまま実行する場合：{command}",
  finalise: "中断した running を stopped に書き換えます。作業中のものはそのまま残ります。",
  edit_metadata: "タイトル、上限、ラベルを変更します。ファイルのほかの内容は変わりません。",
  delete: "ループと付属ファイルをシステムのゴミ箱に移します。",
} satisfies Translated<typeof en.effect>;

export const refusal = {
  not_running: "ループは実行中ではありません。現在は「{status}」です。",
  not_paused: "ループは一時停止していません。現在は「{status}」です。",
  already_paused: "ループはすでに「{status}」です。",
  already_running: "ループはすでに「{status}」です。",
  finished: "ループは終了しています（{status}）。先に再オープンしてください。",
  not_finished: "ループは終了していません。現在は「{status}」です。",
  running: "ループが「{status}」の間はできません。先に停止してください。",
  foreign_owner: "このループは別の実行者が動かしています（{status}）。",
  limit_reached: "反復回数を使い切りました（{status}）。同時に上限を上げてください。",
  damaged_file: "ファイルにエラーがあります（{status}）。Loopdeck は書き込みません。",
  id_mismatch: "ファイル内の id がファイル名と一致しません（{status}）。",
  read_only_format: "Loopdeck はこの形式を表示するだけで、制御しません（{status}）。",
  unknown_status: "この形式に「{status}」という状態はありません。",
  not_in_format: "この形式にこの操作はありません（{status}）。",
  parallel_cannot_pause: "並列モードのワーカーは一時停止を確認しません（{status}）。停止を使ってください。",
  gate_not_met: "開始に必要なものがありません：{field}（{status}）。",
  bad_value: "{field} の値は受け付けられません（{status}）。",
  not_editable: "{field} は安全に編集できない形で書かれています（{status}）。",
} satisfies Translated<typeof en.refusal>;

export const reason = { withVerb: "{verb}：{reason}" } satisfies Translated<typeof en.reason>;

export const failure = {
  refused: "拒否されました：{reason}何も書き込んでいません。",
  unknown_loop: "このループはもうありません。",
  unknown_workspace: "このフォルダーはもう開かれていません。",
  not_a_folder: "{path} は開けるフォルダーではありません。",
  contended: "別のプログラムが {path} を変更し続けています。5 回試しましたが、何も書き込んでいません。",
  disk: "ディスクが {path} への書き込みを拒否しました：{reason}",
  unreadable: "{path} を読めません：{reason}",
  no_trash: "このシステムにはゴミ箱がありません：{reason} 何も削除していません。",
  own_data: "Loopdeck はこの操作を完了できませんでした：{reason}",
  cannot_open: "デスクトップは {path} を開けませんでした：{reason}",
  no_undo: "古い版を保存できないため、何も書き込んでいません：{reason}",
  nothing_to_undo: "{path} には、元に戻せる Loopdeck の書き込みがありません。",
  changed_since: "Loopdeck の書き込み後に、別のプログラムが {path} を変更しました。元に戻していません。",
  unknown_version: "その版はもう保存されていません。",
} satisfies Translated<typeof en.failure>;

export const failureHint = {
  refused: "ループの状態を確認し、使える操作を選んでください。",
  unknown_loop: "一覧に戻ってください。ファイルを移動した場合は、今あるフォルダーを開いてください。",
  unknown_workspace: "フォルダーをもう一度追加してください。",
  not_a_folder: "フォルダーが存在し、開く権限があるか確認してください。",
  contended: "エージェントがアクションを終えるまで待ち、もう一度試してください。",
  disk: "空き容量とフォルダーの権限を確認し、もう一度試してください。",
  unreadable: "ファイルを開き、「ソース」で最初の問題を確認してください。",
  no_trash: "削除する場合は、手作業で削除してください。",
  own_data: "もう一度試してください。毎回起きる場合は、Loopdeck のデータフォルダーの権限を確認してください。",
  cannot_open: "パスをコピーし、手作業で開いてください。",
  no_undo: "空き容量と Loopdeck のデータフォルダーの権限を確認し、もう一度試してください。",
  nothing_to_undo: "ループの履歴で古い版を確認してください。",
  changed_since: "履歴を確認し、必要な版を復元してください。",
  unknown_version: "履歴から別の版を選んでください。",
} satisfies Translated<typeof en.failureHint>;

export const dialog = {
  cancel: "キャンセル",
  close: "閉じる",
  stopTitle: "「{title}」を停止しますか？",
  keepRunning: "実行を続ける",
  stopReason: "理由",
  stopReasonHelp: "形式に場所があれば、ファイルに残ります。",
  resumeTitle: "「{title}」を再開しますか？",
  startTitle: "「{title}」を開始しますか？",
  reopenTitle: "「{title}」を再オープンしますか？",
  finaliseTitle: "「{title}」を停止済みにしますか？",
  pauseTitle: "「{title}」を一時停止しますか？",
  raiseAndResume: "上限を上げて再開",
  raiseAndReopen: "上限を上げて再オープン",
  newLimit: "新しい反復の上限",
  newLimitHelp: "{limit} 回中 {current} 回を使いました。{least} から {most} までの数を入力してください。",
  copyCommand: "コマンドをコピー",
  deleteTitle: "「{title}」を削除しますか？",
  deleteText: "{count} 個のファイルやフォルダーをシステムのゴミ箱に移します。そこから元に戻せます。",
  deleteConfirm: "ゴミ箱に移す",
  deleteLoading: "付属ファイルを探しています…",
  metadataTitle: "「{title}」の情報を編集",
  metadataNone: "この形式には Loopdeck が編集できる情報がありません。",
  save: "保存",
  title: "タイトル",
  description: "説明",
  maxIterations: "反復の上限",
  tags: "タグ",
  tagsHelp: "タグはコンマで区切ります。",
  priority: "優先度",
  priorityNone: "なし",
  priorityLow: "低",
  priorityMedium: "中",
  priorityHigh: "高",
  notes: "メモ",
  titleLength: "タイトルは 1〜100 文字です。現在 {count} 文字です。",
  descriptionAdvice: "{count} 文字（500 文字以内を推奨）。",
  limitRange: "上限は 1 から 100 までの整数です。",
  nothingChanged: "まだ何も変わっていません。",
} satisfies Translated<typeof en.dialog>;
