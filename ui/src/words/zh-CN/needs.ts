import type * as source from "../en/needs";
import type { Translated } from "../message";

export const needs: Translated<typeof source.needs> = {
  title: "需要你处理",
  count: "{count} 项需要你处理",
  ofLoop: "此循环有 {count} 项需要你处理",
  none: "没有需要你处理的事项。",
  noneHint: "Loopdeck 运行的循环提出的问题、权限请求、上限和失败会显示在这里。",
  stale: "此列表可能已过时：未能重新读取。",
  openLoop: "打开“{title}”",
  showAll: "显示需要你处理的事项",
  agents: "显示代理",
  answer: "答复",
  since: "自 {time} 起等待（{age}）",
  agent: "代理",
  folder: "文件夹",
  theAgent: "代理",
  announced: "“{title}”需要你处理。{text}",
  announcedMore: "{text}另有 {count} 项。",
  answered: "已答复：{title}。",
  withdrawn: "“{title}”不再等待答复。",
  keys: { title: "需要你处理的事项", open: "显示需要你处理的事项", send: "发送文本", close: "关闭" },

  why: "请求原因：",
  input: "确切输入",
  fromAgent: "来自代理：",
  fromTests: "来自测试命令：",
  files: "文件：",
  found: "目前的发现：",
  report: "报告内容：",
  moreLines: "再显示 {count} 行",
  moreCharacters: "再显示 {count} 个字符",
  fewerLines: "收起",
  cutInput: "仅显示前 {count} 个字符。其余内容无法在此查看。",
  cutOf: "此处仅显示前 {count} 个字符，共 {all} 个。",
  cutFirst: "查看全部内容后才能允许。",
  showWhole: "显示完整输入",
  hidden: "{count} 个不可见字符以编号显示，例如 ⟨U+202E⟩。",
  noInput: "代理没有给出输入。",
  silence: "代理正在等待。在你答复之前不会允许任何操作。",

  allowOnce: "允许一次",
  allowForRun: "本次运行内允许",
  allowForRunText: "本次运行内允许：在本次运行结束前不再询问 {tool}。",
  deny: "拒绝",
  denyNote: "附说明拒绝…",
  note: "给代理的说明",
  noteHelp: "可选。代理会读到它，并在不执行此操作的情况下继续。",
  denySend: "附此说明拒绝",
  back: "返回",

  yourAnswer: "你的答复",
  answerHelp: "按 {modifier} Enter 发送。",
  say: "发送答复",
  sayHint: "发送并重试",
  tellAgent: "代理应当知道的内容",
  tryAgain: "重试",
  goOn: "跳过并继续",
  stop: "停止循环",
  resume: "启动代理并继续",
  startAgain: "重新启动",
  resumeNow: "立即继续",
  restore: "恢复文件",
  dismiss: "忽略",
  showOutput: "显示输出",
  choose: "下一个动作",

  extend: "提高上限并继续",
  moreIterations: "增加的迭代次数",
  newLimit: "上限将变为 {limit}。",
  minutes: "新一次启动的分钟数",
  money: "新一次启动的金额（美元）",
  tokens: "新一次启动的 token 数",
  turns: "每次代理运行的轮次",
  turnsHelp: "每次代理运行单独计算。",
  anew: "启动后重新开始计算。",
  badAmount: "请输入 {least} 到 {most} 之间的数字。",

  continuesAt: "将于 {time} 继续 · 还有 {left}",
  continuesSoon: "将于 {time} 继续 · 即将开始",
  endsAt: "服务商将于 {time} 恢复服务 · 还有 {left}。",
  ended: "服务商已于 {time} 恢复服务。",
  unknownEnd: "服务商没有说明何时恢复服务。",
  optIn: "此循环没有选择等待，因此 Loopdeck 不会自动继续。",

  signInHow: "在终端中运行以下命令并登录，然后重试：",
  signInPlain: "打开终端，在其中启动一次该代理并登录，然后重试。",

  leftText: "这些进程由代理启动，没有随代理一起结束。",
  leftUnknown: "Loopdeck 没有查看权限，或系统无法判断。",
  pid: "进程",
  name: "名称",
  endThem: "结束这些进程",
  lookAgain: "重新查找并结束",

  interruptedText: "它的驱动程序随启动它的 Loopdeck 一起结束。代理对文件所做的更改会保留；该动作会重新执行。",
  takenOver:
    "另一个 Loopdeck 已接管此循环。代理在你的文件中所做的更改会保留；由恢复运行的一方重新执行该动作。",
  interruptedAction: "当时正在执行：{action}。",
};

export const need: Translated<typeof source.need> = {
  permission: "权限",
  question: "问题",
  menu: "下一个动作",
  limit_reached: "已达上限",
  usage_limit: "用量上限",
  sign_in: "登录",
  failed: "失败",
  left_over: "遗留进程",
  interrupted: "已中断",
};

export const needSays: Translated<typeof source.needSays> = {
  permission: "{agent} 想要使用 {tool}。",
  question: "有一个问题。",
  menu: "下一个动作是什么？",
  usage_limit: "{agent} 已达到用量上限。",
  usage_limit_waiting: "正在等待 {agent} 的用量上限解除。",
  sign_in: "{agent} 未登录。",
  left_over: "停止后遗留了 {count} 个进程。",
  left_unknown: "无法判断所有进程是否都已结束。",
  interrupted: "运行被中断。",
};

export const needQuestion: Translated<typeof source.needQuestion> = {
  agent_asks: "{agent} 有问题要问你。",
  task_failed: "任务 {about} 失败了 {count} 次。",
  worker_failed: "工作者 {about} 失败了 {count} 次。",
  debug_inconclusive: "{count} 轮调试没有找到原因。",
  tests_keep_failing: "相同的测试在 {count} 次运行中失败。",
  answer_unreadable: "无法读取 {agent} 对“{about}”的回答。",
  agent_fails: "{agent} 没有完成“{about}”。",
  no_tests: "测试命令没有运行任何测试。",
  tests_cannot_run: "测试命令无法运行。",
  no_tasks: "循环没有任务。",
  conflicts: "多个工作者更改了相同的文件。",
};

export const answerError: Translated<typeof source.answerError> = {
  no_object: "回答中没有 JSON 对象。",
  not_json: "这不是有效的 JSON。",
  missing: "缺少此项，或此项为空。",
  wrong_type: "此值的类型不正确。",
  unknown_word: "此处不允许使用这个词。",
  too_many: "条目过多。",
  bad_id: "ID 必须是不超过 100 个字符的单个词，且不含 * ` / \\ :",
  repeated_id: "此 ID 重复使用。",
  bad_path: "路径必须相对于此文件夹，且不含“..”。",
  wrong_task: "这不是所交付的任务。",
  not_confirmed: "已确认的假设必须以“已确认”状态列出。",
};

export const answerErrorLine: Translated<typeof source.answerErrorLine> = {
  at: "{place}：{error}",
  found: "{line}实际内容：{found}",
};

export const needGoOn: Translated<typeof source.needGoOn> = {
  agent_asks: "让代理决定",
  task_failed: "保留任务为失败",
  worker_failed: "不用此工作者继续",
  debug_inconclusive: "继续调试",
  tests_keep_failing: "继续尝试",
  answer_unreadable: "跳过并继续",
  agent_fails: "跳过并继续",
  no_tests: "不运行测试直接完成",
  tests_cannot_run: "不运行测试直接完成",
  no_tasks: "没有任务也继续",
  conflicts: "文件无误，继续",
};

export const needLimit: Translated<typeof source.needLimit> = {
  iterations: "所有迭代次数已用完。",
  time: "时间上限已用完。",
  money: "金额上限已用完。",
  tokens: "token 上限已用完。",
  turns: "代理运行的轮次已用完。",
  otherwise: "已达到某个上限。",
};

export const needFailed: Translated<typeof source.needFailed> = {
  skill_missing: "{agent} 没有命令 {command}：技能未安装，什么也没有做。",
  skill_unfinished: "{agent} 已结束，但文件仍显示正在运行。",
  file_gone: "{agent} 工作期间，状态文件消失了。文件夹中已完成的内容保持不变。",
  marked_failed: "{agent} 仍在工作，但文件已被外部改为失败。",
  task_failed: "{agent} 以错误结束。",
  limit: "{agent} 已达到用量上限。",
  auth: "{agent} 未登录。",
  budget: "此次运行已用完允许的额度。",
  cancelled: "运行已取消。",
  crashed: "{agent} 没有给出结果就结束了。",
  unknown: "{agent} 已结束，但无法判断结果。",
  damaged: "状态文件无法使用，因此运行已结束。",
  otherwise: "运行失败。",
};

export const needAction: Translated<typeof source.needAction> = {
  init: { name: "规划", text: "阅读工作内容并拆分为任务。" },
  develop: { name: "开发", text: "处理下一个未完成的任务并更改文件。" },
  debug: { name: "调试", text: "通过假设查找失败的原因。" },
  validate: { name: "验证", text: "运行测试命令并读取结果。" },
  complete: { name: "收尾", text: "总结工作并结束循环。" },
};
