import type * as en from "../en/effects";
import type { Translated } from "../message";

export const redirectEffect = {
  nothing: "没有其他更改。",
  texts: "目标",
  checks: "完成检查将被替换。",
  limits: "上限",
  added: "添加",
  deleted: "删除",
  edited: "编辑",
  decomposed: "分解",
  rejoined: "不再是容器",
  selections: "所选分支",
  interrupted: "中断的工作",
  reset: "需要重做",
  reopened: "重新打开的容器",
  discarded: "移除的结果",
  trail: "移除的轨迹记录",
  ready: "可以开始",
  waiting: "不能再开始",
  stall_forgiven: "下一轮不计为停滞。",
  ends_hold: "等待结束，循环继续。",
} satisfies Translated<typeof en.redirectEffect>;

export const redirectRow = {
  atom: "{id} · {description}",
  text: "{name}：“{before}” → “{after}”",
  limit: "{name}：{before} → {after}",
  described: "{id}：“{after}”",
  needs: "{id} 还等待 {ids}",
  no_longer_needs: "{id} 不再等待 {ids}",
  split: "{id} 分解为 {ids}",
  choice: "{group}：{before} → {after}",
  no_choice: "无",
  cleared: "{group}：可以再次尝试 {ids}",
  result: "{id}：{summary}",
  trail: "{group}：{selected} · {reason}",
} satisfies Translated<typeof en.redirectRow>;

export const effects = {
  title: "此更改的影响",
  incomplete: "更改表单内容后即可看到效果。",
  looking: "正在检查…",
  refusedAbove: "无法写入，原因见上方。",
  cascaded: "依赖于它",
  interrupts: "中断 {count} 个 Atom 的工作。",
  resets: "将 {count} 个已解决的 Atom 恢复为待处理。",
  discards: "移除 {count} 个结果。",
  clears: "清除 {count} 条轨迹记录。",
  keepsAll: "不会丢失任何工作。",
} satisfies Translated<typeof en.effects>;
