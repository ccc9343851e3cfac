import type * as en from "../en/effects";
import type { Translated } from "../message";

export const redirectEffect = {
  nothing: "ほかに変わるものはありません。",
  texts: "目的",
  checks: "完了チェックが置き換わります。",
  limits: "上限",
  added: "追加",
  deleted: "削除",
  edited: "編集",
  decomposed: "分解",
  rejoined: "コンテナではなくなるもの",
  selections: "選ばれる分岐",
  interrupted: "中断される作業",
  reset: "やり直すもの",
  reopened: "再び開くコンテナ",
  discarded: "取り除かれる結果",
  trail: "消去される選択の履歴",
  ready: "開始できるもの",
  waiting: "開始できなくなるもの",
  stall_forgiven: "次のラウンドは停滞として数えません。",
  ends_hold: "待機が終わり、ループが続きます。",
} satisfies Translated<typeof en.redirectEffect>;

export const redirectRow = {
  atom: "{id} · {description}",
  text: "{name}：「{before}」→「{after}」",
  limit: "{name}：{before} → {after}",
  described: "{id}：「{after}」",
  needs: "{id} は {ids} も待つようになります",
  no_longer_needs: "{id} は {ids} を待たなくなります",
  split: "{id} を {ids} に分解",
  choice: "{group}：{before} → {after}",
  no_choice: "なし",
  cleared: "{group}：{ids} をもう一度試せます",
  result: "{id}：{summary}",
  trail: "{group}：{selected} · {reason}",
} satisfies Translated<typeof en.redirectRow>;

export const effects = {
  title: "この変更の影響",
  incomplete: "フォームの内容を変えると、影響が表示されます。",
  looking: "確認中…",
  refusedAbove: "書き込めません。理由は上をご覧ください。",
  cascaded: "これに依存",
  interrupts: "アトム {count} 件の作業を中断します。",
  resets: "解決済みのアトム {count} 件を未着手に戻します。",
  discards: "結果 {count} 件を取り除きます。",
  clears: "選択の履歴 {count} 件を消去します。",
  keepsAll: "失われる作業はありません。",
} satisfies Translated<typeof en.effects>;
