import type * as en from "../en/units";
import type { Translated } from "../message";

export const units = {
  now: "刚刚",
  secondsAgo: "{count} 秒前",
  minutesAgo: "{count} 分钟前",
  hoursAgo: "{count} 小时前",
  shortSeconds: "{count} 秒",
  shortMinutes: "{count} 分钟",
  shortHours: "{count} 小时",
  shortDays: "{count} 天",
  milliseconds: "{count} 毫秒",
  seconds: "{count} 秒",
  minutesSeconds: "{minutes} 分 {seconds} 秒",
  hoursMinutes: "{hours} 小时 {minutes} 分",
  bytes: "{count} B",
  kilobytes: "{count} kB",
  megabytes: "{count} MB",
  notReported: "未报告",
  /** Where a status stands. */
  statusNone: "未报告",
  notCounted: "尚未统计",
  notMeasured: "未测量",
  yes: "是",
  no: "否",
  none: "无",
  correctedTime: "{time}（已更正 8 小时；文件中为 {text}）",
  unreadableTime: "{text}（无法识别的时间）",
  labelled: "{name}：{value}",
  listSeparator: "、",
  twoSentences: "{first}{second}",
} satisfies Translated<typeof en.units>;
