import type * as en from "../en/past";
import type { Translated } from "../message";

export const repair = {
  recount: "重新计数",
  split_glued_lines: "每行一个任务",
  clean_task_list: "清理任务列表",
  strip_trailing_garbage: "删除状态之后的内容",
  reset_orphans: "将任务改回待处理",
  clear_stale_end: "清除上一次结束的信息",
  unknown_status: "改为此格式的状态词",
  orphaned_atoms: "将原子改回待处理",
  layout: "按插件的读法书写各行",
} satisfies Translated<typeof en.repair>;

export const repairEffect = {
  recount: "按列表写入计数。列表本身不变。",
  split_glued_lines: "让任务列表中的每个任务单独占一行。任务内容不变。",
  clean_task_list: "从任务列表中去掉无法读取的行。备份中有的内容会恢复。",
  clean_task_list_counted:
    "从任务列表中去掉无法读取的行。由备份恢复的任务：{restored} 个。丢失的行：{lost} 行。",
  strip_trailing_garbage: "保留文件开头的完整状态，删除其后的所有内容。",
  reset_orphans: "将无人处理的任务改回待处理，使代理可以再次选取。",
  clear_stale_end: "删除上一次结束留下的原因和时间。",
  unknown_status: "替换此格式没有的 {count} 个状态词：循环写 stopped，原子写 pending。",
  orphaned_atoms: "将 {count} 个无人处理的原子改回待处理。",
  layout: "按插件的读法书写各行（规则 {rules}）。值不变；这些行上的注释会被去掉（{comments} 条）。",
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
  prefix: "文件的开头部分",
  rebuilt: "重新构建",
} satisfies Translated<typeof en.recoveryWay>;

export const recoveryWayText = {
  last_good: "Loopdeck 能够读取的最新版本。其后写入的内容会缺失。",
  backup: "此格式在文件旁保存的备份。它可能早于最后的版本。",
  prefix: "损坏文件开头的完整状态，不含其后的内容。",
  rebuilt: "由旁边的文件重新拼成。写入之前请查看每个字段。",
} satisfies Translated<typeof en.recoveryWayText>;

export const recoverySource = {
  stem: "文件名",
  prefix: "损坏文件的开头",
  last_good: "最近的完好版本",
  proposed: "由 Loopdeck 建议，请检查",
  missing: "找不到来源，留空",
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
  lost: "无法恢复的内容",
  lostNone: "没有已知的丢失内容。",
  lossy: "不是文本的字节在显示时已替换。另存的文件保留这些字节。",
  promise: "按下按钮之前不会写入任何内容。损坏的文件会保存为 {aside}。",
  write: "写入此版本",
  changed: "查看期间文件已变化。写入之前请重新查看。",
  again: "重新查看",
  noneTitle: "没有找到可以用来恢复此文件的内容。",
  noneText: "请打开文件手动更正，或从历史记录中恢复较早的版本。文件一变化，Loopdeck 就会重新读取。",
  showHistory: "查看历史记录",
} satisfies Translated<typeof en.recovery>;

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
  late: "保留了其他程序迟到的写入",
  repair: "已修复",
  recover: "已恢复损坏的文件",
  edit_tasks: "已编辑任务",
  operate: "已记录工作步骤",
  redirect: "已改变方向",
} satisfies Translated<typeof en.writeCause>;

export const history = {
  label: "各版本，最新的在前",
  foreign: "已更改",
  current: "文件的当前内容",
  unreadable: "无法读取",
  versionName: "{what}，{time}，{who}，{size}",
  empty: "还没有版本",
  emptyHint: "Loopdeck 打开期间，无论谁更改此文件，都会保存一个版本。",
  kept: "版本保存 30 天，每个循环的最近十个版本保存得更久。",
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
  restoreText: "文件将写成当时的样子（{size}）。现在的内容会保存为一个版本，撤销即可恢复。",
  restoreUnreadable: "此版本无法作为循环读取：恢复之后循环会显示为损坏。",
  restoreActive: "可能有代理正在处理此循环，它会用自己记住的内容覆盖文件。",
  restoreConfirm: "恢复",
} satisfies Translated<typeof en.history>;

export const changed = {
  fact: "{id}",
  task: "任务 {id}",
  hypothesis: "假设 {id}",
  root_cause: "根本原因",
  atom: "原子 {id}",
  branch: "{id} 的选择",
  test_run: "第 {id} 次测试运行",
  worker: "工作者 {id}",
  correction: "更正 {id}",
  errors: "记录的错误",
} satisfies Translated<typeof en.changed>;

export const changes = {
  since: "此后有 {count} 处更改",
  became: "{what}：{from} → {to}",
  added: "{what}：{to}（新增）",
  gone: "{what}：{from}（已移除）",
} satisfies Translated<typeof en.changes>;

export const diff = {
  label: "{left}与{right}，逐行比较",
  same: "没有不同的行。",
  count: "{count} 处不同",
  next: "下一处不同",
  previous: "上一处不同",
  tooLong: "超过 {count} 行：不标出不同之处。",
  tooLongToShow: "超过 {count} 行：太长，无法在此比较。",
  cutLines: "每行只比较前 {count} 个字符。",
} satisfies Translated<typeof en.diff>;
