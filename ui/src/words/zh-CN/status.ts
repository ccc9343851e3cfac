import type * as en from "../en/status";
import type { Translated } from "../message";

export const status = {
  cannot_read: "无法读取文件",
  needs_you: "需要你处理",
  not_fully_stopped: "未完全停止",
  stopping: "正在停止…",
  pausing: "正在暂停…",
  usage_limit: "等待用量上限解除",
  silent: "{minutes} 分钟无输出",
  starting: "正在启动…",
  running: "运行中",
  finishing: "即将结束",
  ended_still_running: "已结束，代理仍在运行",
  running_elsewhere: "在别处运行",
  limit_reached: "已达上限",
  interrupted: "已中断",
  agent_unknown: "代理状态未知",
  failed: "失败",
  paused: "已暂停",
  stopped: "已停止",
  left_by_user: "用户已退出",
  completed_with_warnings: "已完成（有警告）",
  completed: "已完成",
  not_started: "未开始",
  unknown: "未知状态“{word}”",
} satisfies Translated<typeof en.status>;

export const agent = {
  ours: "Loopdeck 的代理",
  elsewhere: "在别处活动",
  gone: "代理已结束",
  none: "无代理",
  cannot_tell: "未知",
} satisfies Translated<typeof en.agent>;

export const agentFact = {
  ours: "由 Loopdeck 启动",
  elsewhere: "在别处，归属未知",
  gone: "已结束",
  none: "未发现",
  cannot_tell: "未知",
} satisfies Translated<typeof en.agentFact>;

export const group = {
  attention: "需要你处理",
  active: "进行中",
  idle: "空闲",
  finished: "已结束",
} satisfies Translated<typeof en.group>;

export const format = {
  loop_v2: "Loop v2",
  loop_b: "Loop-B",
  aot: "AoT",
  v1: "v1",
  legacy: "旧版",
  unknown: "未知",
} satisfies Translated<typeof en.format>;

export const action = {
  init: "初始化",
  develop: "开发",
  debug: "调试",
  validate: "验证",
  complete: "收尾",
} satisfies Translated<typeof en.action>;

export const phase = {
  not_initialised: "未初始化",
  init: "初始化",
  develop: "开发 · {done}/{total}",
  debug: "调试 · 假设 {judged}/{total}",
  debug_confirmed: "调试 · 已证实 {confirmed}",
  validate: "验证 · {passed}/{total}",
  complete: "收尾",
  workers: "{phase} · {done}/{total}",
  atoms: "Atom {resolved}/{total}",
  atoms_ready: "Atom {resolved}/{total} · {ready} 个就绪",
  steps: "步骤 {current}/{total}",
} satisfies Translated<typeof en.phase>;

export const limit = {
  iterations: "迭代次数已用完",
  stalls: "长时间没有进展",
  alternatives: "所有备选方案均失败",
  no_atoms: "没有 Atom",
} satisfies Translated<typeof en.limit>;

export const verb = {
  start: "启动",
  pause: "暂停",
  pause_aot: "本次迭代后暂停",
  pause_short: "暂停",
  resume: "继续",
  stop: "停止",
  reopen: "重新打开",
  finalise: "标记为已停止",
  edit_metadata: "编辑信息…",
  delete: "删除…",
} satisfies Translated<typeof en.verb>;

export const request = {
  requested: "{time} 请求{verb} · 等待生效",
  in_effect: "{time} 请求{verb} → 已生效",
  failed: "{time} 请求{verb} · 无法写入，已保留待重试",
  overruled: "{verb}已于 {time} 被其他工具的决定取代",
  in_force: "当前生效：{status}",
  sent_again: "文件的旧版本覆盖了该请求，已再次发送（{count} 次）。",
  sent_again_pause: "文件的旧版本覆盖了暂停，已再次发送（{count} 次）。",
} satisfies Translated<typeof en.request>;

export const atom = {
  ready: "就绪",
  in_progress: "进行中",
  resolved: "已解决",
  blocked: "被阻塞",
  container: "容器",
  inactive: "未选用",
  failed: "已尝试，失败",
  choose_branch: "待选择分支",
} satisfies Translated<typeof en.atom>;

export const blocker = {
  waits_for: "等待 {name}",
  missing: "等待不存在的 {name}",
  failed_in: "{name} 中已失败的选择",
  not_selected: "已选择 {name} 的另一项",
  choose_branch: "{name} 尚未选择",
} satisfies Translated<typeof en.blocker>;

/** What happened, in the timeline. */
export const event = {
  change_log: "文件已更改",
  debug_log: "日志输出",
  develop_entry: "开发",
  debug_entry: "调试",
  validate_entry: "验证",
  summary_entry: "已写总结",
  error: "错误",
  worker: "工作者结果",
  trail: "已选择备选方案",
  correction: "更正",
  decomposition: "已分解",
} satisfies Translated<typeof en.event>;

export const severity = {
  info: "信息",
  lint: "格式",
  warning: "警告",
  error: "错误",
} satisfies Translated<typeof en.severity>;

export const word = {
  pending: "待处理",
  in_progress: "进行中",
  completed: "已完成",
  failed: "失败",
  resolved: "已解决",
  confirmed: "已证实",
  rejected: "已否定",
  inconclusive: "无定论",
  passed: "通过",
  skipped: "跳过",
  success: "成功",
  partial: "部分完成",
  needs_input: "需要输入",
  needs_more_info: "需要更多信息",
  needs_fix: "需要修复",
  blocked: "被阻塞",
  created: "未开始",
  running: "运行中",
  paused: "已暂停",
  stopped: "已停止",
  user_exit: "用户已退出",
} satisfies Translated<typeof en.word>;
