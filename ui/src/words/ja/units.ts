import type * as en from "../en/units";
import type { Translated } from "../message";

export const units = {
  now: "たった今",
  secondsAgo: "{count} 秒前",
  minutesAgo: "{count} 分前",
  hoursAgo: "{count} 時間前",
  shortSeconds: "{count} 秒",
  shortMinutes: "{count} 分",
  shortHours: "{count} 時間",
  shortDays: "{count} 日",
  milliseconds: "{count} ミリ秒",
  seconds: "{count} 秒",
  minutesSeconds: "{minutes} 分 {seconds} 秒",
  hoursMinutes: "{hours} 時間 {minutes} 分",
  bytes: "{count} B",
  kilobytes: "{count} kB",
  megabytes: "{count} MB",
  notReported: "報告なし",
  /** Where a status stands. */
  statusNone: "報告なし",
  notCounted: "まだ数えていません",
  notMeasured: "未測定",
  yes: "はい",
  no: "いいえ",
  none: "なし",
  correctedTime: "{time}（8 時間補正。ファイルでは {text}）",
  unreadableTime: "{text}（読めない時刻）",
  labelled: "{name}：{value}",
  listSeparator: "、",
  twoSentences: "{first}{second}",
} satisfies Translated<typeof en.units>;
