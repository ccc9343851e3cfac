import type * as en from "../en/status";
import type { Translated } from "../message";

export const status = {
  cannot_read: "ファイルを読めません",
  needs_you: "対応が必要",
  not_fully_stopped: "停止が未完了",
  stopping: "停止処理中…",
  pausing: "一時停止処理中…",
  usage_limit: "利用上限の解除待ち",
  silent: "{minutes} 分間出力なし",
  starting: "起動中…",
  running: "実行中",
  finishing: "終了処理中",
  ended_still_running: "終了済み、エージェントは動作中",
  running_elsewhere: "別の場所で実行中",
  limit_reached: "上限に到達",
  interrupted: "中断",
  agent_unknown: "エージェント状態不明",
  failed: "失敗",
  paused: "一時停止",
  stopped: "停止",
  left_by_user: "ユーザーが離脱",
  completed_with_warnings: "完了（警告あり）",
  completed: "完了",
  not_started: "未開始",
  unknown: "不明な状態「{word}」",
} satisfies Translated<typeof en.status>;

export const agent = {
  ours: "Loopdeck のエージェント",
  elsewhere: "別の場所で動作中",
  gone: "エージェント終了",
  none: "エージェントなし",
  cannot_tell: "不明",
} satisfies Translated<typeof en.agent>;

export const agentFact = {
  ours: "Loopdeck が起動",
  elsewhere: "別の場所（所有者不明）",
  gone: "終了",
  none: "見つかりません",
  cannot_tell: "不明",
} satisfies Translated<typeof en.agentFact>;

export const group = {
  attention: "対応が必要",
  active: "動作中",
  idle: "待機",
  finished: "終了",
} satisfies Translated<typeof en.group>;

export const format = {
  loop_v2: "Loop v2",
  loop_b: "Loop-B",
  aot: "AoT",
  v1: "v1",
  legacy: "旧形式",
  unknown: "不明",
} satisfies Translated<typeof en.format>;

export const action = {
  init: "初期化",
  develop: "開発",
  debug: "デバッグ",
  validate: "検証",
  complete: "仕上げ",
} satisfies Translated<typeof en.action>;

export const phase = {
  not_initialised: "未初期化",
  init: "初期化",
  develop: "開発 · {done}/{total}",
  debug: "デバッグ · 仮説 {judged}/{total}",
  debug_confirmed: "デバッグ · {confirmed} を確認",
  validate: "検証 · {passed}/{total}",
  complete: "仕上げ",
  workers: "{phase} · {done}/{total}",
  atoms: "アトム {resolved}/{total}",
  atoms_ready: "アトム {resolved}/{total} · 着手可 {ready}",
  steps: "ステップ {current}/{total}",
} satisfies Translated<typeof en.phase>;

export const limit = {
  iterations: "イテレーション数の上限",
  stalls: "長く進捗なし",
  alternatives: "すべての代替案が失敗",
  no_atoms: "アトムなし",
} satisfies Translated<typeof en.limit>;

export const verb = {
  start: "開始",
  pause: "一時停止",
  pause_aot: "このイテレーションの後に一時停止",
  pause_short: "一時停止",
  resume: "再開",
  stop: "停止",
  reopen: "再オープン",
  finalise: "停止済みにする",
  edit_metadata: "情報を編集…",
  delete: "削除…",
} satisfies Translated<typeof en.verb>;

export const request = {
  requested: "{time} に{verb}を要求 · 反映待ち",
  in_effect: "{time} に{verb}を要求 → 反映済み",
  failed: "{time} に{verb}を要求 · 書き込めず、後で再試行します",
  overruled: "{verb}は {time} に別のツールの決定で置き換えられました",
  in_force: "現在有効：{status}",
  sent_again: "古いコピーが要求を上書きしました。再送しました（{count} 回）。",
  sent_again_pause: "古いコピーが一時停止を上書きしました。再送しました（{count} 回）。",
} satisfies Translated<typeof en.request>;

export const atom = {
  ready: "着手可能",
  in_progress: "進行中",
  resolved: "解決済み",
  blocked: "待ち",
  container: "コンテナ",
  inactive: "未選択",
  failed: "試行済み、失敗",
  choose_branch: "分岐の選択待ち",
} satisfies Translated<typeof en.atom>;

export const blocker = {
  waits_for: "{name} を待っています",
  missing: "存在しない {name} を待っています",
  failed_in: "{name} の失敗した選択肢です",
  not_selected: "{name} では別の選択肢が選ばれています",
  choose_branch: "{name} はまだ選ばれていません",
} satisfies Translated<typeof en.blocker>;

/** What happened, in the timeline. */
export const event = {
  change_log: "ファイルの変更",
  debug_log: "ログ出力",
  develop_entry: "開発",
  debug_entry: "デバッグ",
  validate_entry: "検証",
  summary_entry: "要約を記録",
  error: "エラー",
  worker: "ワーカーの結果",
  trail: "選択肢の決定",
  correction: "修正",
  decomposition: "分解",
} satisfies Translated<typeof en.event>;

export const severity = {
  info: "情報",
  lint: "書式",
  warning: "警告",
  error: "エラー",
} satisfies Translated<typeof en.severity>;

export const word = {
  pending: "未着手",
  in_progress: "進行中",
  completed: "完了",
  failed: "失敗",
  resolved: "解決済み",
  confirmed: "確認済み",
  rejected: "棄却",
  inconclusive: "結論なし",
  passed: "成功",
  skipped: "スキップ",
  success: "成功",
  partial: "一部完了",
  needs_input: "入力待ち",
  needs_more_info: "情報不足",
  needs_fix: "修正が必要",
  blocked: "待ち",
  created: "未開始",
  running: "実行中",
  paused: "一時停止",
  stopped: "停止",
  user_exit: "ユーザーが離脱",
} satisfies Translated<typeof en.word>;
