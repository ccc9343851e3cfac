import type * as en from "../en/past";
import type { Translated } from "../message";

export const repair = {
  recount: "重新计数",
  split_glued_lines: "每行一个任务",
  clean_task_list: "清理任务列表",
  strip_trailing_garbage: "删除状态之后的内容",
  reset_orphans: "将任务改回待处理",
  clear_stale_end: "清除上一次结束的信息",
  unknown_status: "替换未知的状态",
  orphaned_atoms: "将 Atom 改回待处理",
  unescaped_quotes: "转义引号",
  layout: "为插件修正布局",
} satisfies Translated<typeof en.repair>;

export const repairEffect = {
  recount: "按列表重新计算计数。列表保持不变。",
  split_glued_lines: "让任务列表中的每个任务单独占一行。任务内容不变。",
  clean_task_list: "从任务列表中删除无法读取的行。备份中有的任务会恢复。",
  clean_task_list_counted:
    "从任务列表中删除无法读取的行。由备份恢复的任务：{restored} 个。丢失的行：{lost} 行。",
  strip_trailing_garbage: "保留文件开头的完整状态，删除其后的所有内容。",
  reset_orphans: "将无人处理的任务改回待处理，使代理可以再次选取。",
  clear_stale_end: "删除上一次结束留下的原因和时间。",
  unknown_status: "替换 {count} 个未知状态：循环写 stopped，Atom 写 pending。",
  orphaned_atoms: "将 {count} 个无人处理的 Atom 改回待处理。",
  unescaped_quotes: "转义 {count} 行文本中的引号，首先是第 {line} 行。其他内容不变。",
  layout: "按插件的读法改写各行（规则 {rules}）。值不变；这些行上的注释会被删除（{comments} 条）。",
} satisfies Translated<typeof en.repairEffect>;

export const repairs = {
  button: "修复",
  named: "修复：{name}",
  command: "修复：{name} · {title}",
  done: "已修复：{name}。",
} satisfies Translated<typeof en.repairs>;

export const done = {
  undo: "撤销",
  undoHint: "{text}可在标签页上方撤销。",
  undone: "已撤销。",
  recovered: "文件已恢复。损坏的文件保存为 {aside}。",
  restored: "已恢复 {time} 的版本。",
} satisfies Translated<typeof en.done>;

export const recoveryWay = {
  last_good: "最近的完好版本",
  backup: "备份文件",
  prefix: "文件中可读取的部分",
  elsewhere: "在另一个文件中找到",
  rebuilt: "重新构建",
} satisfies Translated<typeof en.recoveryWay>;

export const recoveryWayText = {
  last_good: "Loopdeck 能够读取的最新版本。其后的更改会缺失。",
  backup: "此格式在文件旁保存的备份。它可能早于最后的版本。",
  prefix: "损坏的文件中还能读取的内容。其中缺少的字段从空值开始。",
  elsewhere: "此循环的状态，取自另一个循环的文件：两个文件被对调了。",
  rebuilt: "由损坏的文件、最近的完好版本和旁边的文件组合而成，以最新的内容为准。写入之前请检查每个字段。",
} satisfies Translated<typeof en.recoveryWayText>;

export const recoverySource = {
  stem: "文件名",
  prefix: "损坏的文件",
  elsewhere: "另一个循环的文件",
  last_good: "最近的完好版本",
  proposed: "由 Loopdeck 建议，请检查",
  missing: "没有找到，留空",
  backup: "备份文件",
} satisfies Translated<typeof en.recoverySource>;

export const recovery = {
  open: "恢复…",
  command: "恢复“{title}”",
  title: "恢复“{title}”",
  loading: "正在查找可以恢复的内容…",
  ways: "恢复方式",
  there: "文件现在的内容",
  proposal: "建议的内容",
  fields: "各字段的来源",
  field: "字段",
  source: "来源",
  lost: "此建议中没有的内容",
  lostNone: "没有已知的丢失内容。",
  figures: "恢复 {total} 个已知值中的 {count} 个。",
  another: "此文件包含另一个循环的状态。",
  typeIn: "填写缺失的值",
  typeInHelp: "这些值由 Loopdeck 假定。写入此版本时，将以你填写的内容代替。",
  lossy: "不是文本的字节在显示时已替换。损坏的文件保留原始字节。",
  promise: "按下按钮之前不会写入任何内容。损坏的文件会保存为 {aside}。",
  write: "写入此版本",
  changed: "文件已发生变化。写入之前请重新检查。",
  again: "重新检查",
  noneTitle: "没有找到可以用来恢复此文件的内容。",
  noneText: "请自行修正文件，或从“历史”中恢复较早的版本。文件变化后，Loopdeck 会重新读取。",
  showHistory: "查看历史记录",
} satisfies Translated<typeof en.recovery>;

export const apiField = {
  title: "标题",
  description: "描述",
  status: "状态",
  current_iteration: "当前迭代",
  max_iterations: "迭代上限",
  created_at: "创建时间（UTC）",
  tags: "标签，用逗号分隔",
  priority: "优先级",
  notes: "备注",
} satisfies Translated<typeof en.apiField>;

export const statusChoice = {
  created: "未开始",
  running: "运行中（显示为已中断）",
  paused: "已暂停",
  completed: "已完成",
  failed: "失败",
  user_exit: "用户已退出",
} satisfies Translated<typeof en.statusChoice>;

export const versionWriter = {
  ours: "Loopdeck",
  foreign: "其他程序",
} satisfies Translated<typeof en.versionWriter>;

export const writeCause = {
  start: "已开始",
  pause: "已暂停",
  resume: "已继续",
  stop: "已停止",
  reopen: "已重新打开",
  finalise: "已标记为停止",
  edit_metadata: "已编辑信息",
  undo: "已撤销上次更改",
  restore: "已恢复较早的版本",
  late: "保留了其他程序稍后的更改",
  repair: "已修复",
  recover: "已恢复损坏的文件",
  edit_tasks: "已编辑任务",
  move_tasks: "已编辑任务；列表已移到上游服务器读取的位置",
  new_loop: "已由新循环替换",
  operate: "已记录步骤",
  redirect: "已改变方向",
} satisfies Translated<typeof en.writeCause>;

export const history = {
  label: "各版本，最新的在前",
  foreign: "已更改",
  current: "文件的当前内容",
  unreadable: "无法读取",
  versionName: "{what}，{time}，{who}，{size}",
  empty: "还没有版本",
  emptyHint: "Loopdeck 打开期间，此文件每次更改都会保存一个版本。",
  kept: "版本保存 30 天，每个循环的最近 10 个版本保存得更久。",
  older: "显示更早的版本",
  choose: "选择一个版本，查看循环当时的样子。",
  chooseKeys: "方向键移动，Enter 打开。",
  asItWas: "{time} 时的样子",
  isNow: "这就是文件的当前内容。",
  parts: "此版本的各部分",
  compare: "与现在比较",
  then: "当时",
  now: "文件现在的内容",
  noRows: "较早版本的各项测试在其源文件中。",
  restore: "恢复此版本…",
  restoreTitle: "恢复 {time} 的版本？",
  restoreText: "将此版本写入文件（{size}）。当前内容会保存为一个版本，此操作可以撤销。",
  restoreUnreadable: "此版本无法作为循环读取，因此循环会显示为损坏。",
  restoreActive: "可能有代理正在处理此循环，它可能会覆盖恢复的版本。",
  restoreConfirm: "恢复",
} satisfies Translated<typeof en.history>;

export const changed = {
  fact: "{id}",
  task: "任务 {id}",
  listed_task: "来自 tasks.jsonl 的任务 {id}",
  hypothesis: "假设 {id}",
  root_cause: "根本原因",
  atom: "Atom {id}",
  branch: "{id} 的选择",
  test_run: "第 {id} 次测试运行",
  worker: "工作者 {id}",
  correction: "更正 {id}",
  errors: "错误",
} satisfies Translated<typeof en.changed>;

export const changes = {
  since: "此后有 {count} 处更改",
  became: "{what}：{from} → {to}",
  added: "{what}：{to}（新增）",
  gone: "{what}：{from}（已移除）",
} satisfies Translated<typeof en.changes>;

export const diff = {
  label: "{left}与{right}，逐行比较",
  same: "没有差异。",
  count: "{count} 处差异",
  next: "下一处不同",
  previous: "上一处不同",
  tooLong: "超过 {count} 行：不标出不同之处。",
  tooLongToShow: "超过 {count} 行：太长，无法在此比较。",
  cutLines: "每行只比较前 {count} 个字符。",
} satisfies Translated<typeof en.diff>;
