import type * as en from "../en/controls";
import type { Translated } from "../message";

export const effect = {
  pause_before_next_action: "在下一个动作之前生效。进行中的动作会先完成。",
  pause_now: "目前没有代理在处理此循环，暂停立即生效。",
  pause_after_iteration: "此格式没有暂停。Loopdeck 会让本次迭代结束，保留全部成果，之后可以继续。",
  stop_elsewhere: "将循环标记为由你停止。在别处运行的代理会在下一个动作之前看到。你文件中的更改会保留。",
  stop_now: "将循环标记为由你停止。你文件中的更改会保留。",
  stop_after_iteration: "请求循环在本次迭代后停止。更改会保留。",
  resume_by_hand:
    "将 running 写入文件。Loopdeck 目前还不会启动代理：请在此文件夹中运行 {command}，从第 {iteration} 次迭代（共 {limit} 次）继续。",
  resume_by_hand_resets_atoms:
    "将 running 写入文件，并把 {count} 个中断的原子恢复为待处理。Loopdeck 目前还不会启动代理：请在此文件夹中运行 {command}，从第 {iteration} 次迭代（共 {limit} 次）继续。",
  start_by_hand:
    "将 running 写入文件。Loopdeck 目前还不会启动代理：请在此文件夹中运行 {command}，开始第 {iteration} 次迭代（最多 {limit} 次）。",
  reopen_by_hand:
    "将已结束的循环恢复为运行中。Loopdeck 目前还不会启动代理：请在此文件夹中运行 {command}，从第 {iteration} 次迭代（共 {limit} 次）继续。",
  reopen_nothing_to_do:
    "已经没有剩余工作，循环会立即再次完成。请先修改描述以安排新的工作。若仍要运行：{command}。",
  finalise: "将中断的 running 改写为 stopped。进行中的工作保持原样。",
  edit_metadata: "修改标题、上限和标签。文件中的其他内容不变。",
  delete: "将循环及其附属文件移到系统回收站。",
} satisfies Translated<typeof en.effect>;

export const refusal = {
  not_running: "循环没有在运行，当前状态为“{status}”。",
  not_paused: "循环没有暂停，当前状态为“{status}”。",
  already_paused: "循环已处于“{status}”状态。",
  already_running: "循环已处于“{status}”状态。",
  finished: "循环已结束（{status}）。请先重新打开。",
  not_finished: "循环尚未结束，当前状态为“{status}”。",
  running: "循环处于“{status}”状态时不可用。请先停止。",
  foreign_owner: "此循环由其他人运行（{status}）。",
  limit_reached: "迭代次数已全部用完（{status}）。请同时提高上限。",
  damaged_file: "文件有错误（{status}）。Loopdeck 不会写入。",
  id_mismatch: "文件中的 id 与文件名不一致（{status}）。",
  read_only_format: "Loopdeck 只显示此格式，不控制它（{status}）。",
  unknown_status: "此格式没有“{status}”这一状态。",
  not_in_format: "此格式没有这项操作（{status}）。",
  parallel_cannot_pause: "并行模式的工作者不检查暂停（{status}）。请使用停止。",
  gate_not_met: "缺少开始所需的内容：{field}（{status}）。",
  bad_value: "{field} 的值不被接受（{status}）。",
  not_editable: "{field} 在文件中的写法无法安全编辑（{status}）。",
} satisfies Translated<typeof en.refusal>;

export const reason = { withVerb: "{verb}：{reason}" } satisfies Translated<typeof en.reason>;

export const failure = {
  refused: "已拒绝：{reason}没有写入任何内容。",
  unknown_loop: "此循环已不存在。",
  unknown_workspace: "此文件夹已不再打开。",
  not_a_folder: "{path} 不是可以打开的文件夹。",
  contended: "另一个程序一直在修改 {path}。尝试五次均未成功，没有写入任何内容。",
  disk: "磁盘拒绝写入 {path}：{reason}",
  unreadable: "无法读取 {path}：{reason}",
  no_trash: "此系统没有回收站：{reason} 没有删除任何内容。",
  own_data: "Loopdeck 无法完成此操作：{reason}",
  cannot_open: "桌面无法打开 {path}：{reason}",
  no_undo: "无法保存旧版本，因此没有写入任何内容：{reason}",
  nothing_to_undo: "{path} 中没有可撤销的 Loopdeck 写入。",
  changed_since: "Loopdeck 写入之后，另一个程序修改了 {path}。没有撤销任何内容。",
  unknown_version: "该版本已不再保存。",
} satisfies Translated<typeof en.failure>;

export const failureHint = {
  refused: "请查看循环的状态，再选择可用的操作。",
  unknown_loop: "请返回列表。如果文件已移动，请打开它现在所在的文件夹。",
  unknown_workspace: "请重新添加该文件夹。",
  not_a_folder: "请确认文件夹存在，并且你有权限打开。",
  contended: "请等待代理完成当前动作，然后重试。",
  disk: "请检查剩余空间和文件夹权限，然后重试。",
  unreadable: "请打开文件，并在“源文件”中查看第一个问题。",
  no_trash: "如需删除，请手动删除这些文件。",
  own_data: "请重试。如果每次都发生，请检查 Loopdeck 数据文件夹的权限。",
  cannot_open: "请复制路径并手动打开。",
  no_undo: "请检查剩余空间和 Loopdeck 数据文件夹的权限，然后重试。",
  nothing_to_undo: "请在循环的历史记录中查看旧版本。",
  changed_since: "请查看历史记录，并恢复需要的版本。",
  unknown_version: "请从历史记录中选择其他版本。",
} satisfies Translated<typeof en.failureHint>;

export const dialog = {
  cancel: "取消",
  close: "关闭",
  stopTitle: "停止“{title}”？",
  keepRunning: "继续运行",
  stopReason: "原因",
  stopReasonHelp: "如果格式支持，会保存在文件中。",
  resumeTitle: "继续“{title}”？",
  startTitle: "开始“{title}”？",
  reopenTitle: "重新打开“{title}”？",
  finaliseTitle: "将“{title}”标记为已停止？",
  pauseTitle: "暂停“{title}”？",
  raiseAndResume: "提高上限并继续",
  raiseAndReopen: "提高上限并重新打开",
  newLimit: "新的迭代上限",
  newLimitHelp: "已使用 {limit} 次迭代中的 {current} 次。请输入 {least} 到 {most} 之间的数字。",
  copyCommand: "复制命令",
  deleteTitle: "删除“{title}”？",
  deleteText: "{count} 个文件或文件夹将移到系统回收站，可以从那里恢复。",
  deleteConfirm: "移到回收站",
  deleteLoading: "正在查找附属文件…",
  metadataTitle: "编辑“{title}”的信息",
  metadataNone: "此格式没有 Loopdeck 可以编辑的信息。",
  save: "保存",
  title: "标题",
  description: "描述",
  maxIterations: "迭代上限",
  tags: "标签",
  tagsHelp: "用逗号分隔标签。",
  priority: "优先级",
  priorityNone: "无",
  priorityLow: "低",
  priorityMedium: "中",
  priorityHigh: "高",
  notes: "备注",
  titleLength: "标题需要 1 到 100 个字符；现有 {count} 个。",
  descriptionAdvice: "{count} 个字符（建议不超过 500 个）。",
  limitRange: "上限是 1 到 100 之间的整数。",
  nothingChanged: "尚未修改任何内容。",
} satisfies Translated<typeof en.dialog>;
