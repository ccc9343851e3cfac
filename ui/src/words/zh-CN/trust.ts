import type * as source from "../en/trust";
import type { Translated } from "../message";

export const trustedFolders: Translated<typeof source.trustedFolders> = {
  title: "受信任的文件夹",
  help: "在这些文件夹以及 Loopdeck 为其创建的工作树中，可以运行代理和测试命令。在其他地方不会运行任何内容。",
  none: "没有受信任的文件夹。",
  revoke: "收回",
  revokeOf: "撤销对 {path} 的信任",
  revoked: "{path} 不再受信任。正在其中运行的内容会继续。",
  sign: "受信任",
  signText: "受信任：Loopdeck 可以在此运行代理和测试命令。",
  trust: "信任此文件夹",
  trustText: "之后 Loopdeck 可以运行代理和此文件夹的测试。",
  untrust: "不再信任此文件夹",
  trusted: "已信任 {name}。",
  untrusted: "{name} 不再受信任。",
};

export const notifications: Translated<typeof source.notifications> = {
  title: "通知",
  help: "当此窗口不在前台时由系统显示。不会因例行进展而通知。",
  needs_you: "循环需要你处理",
  failed: "循环失败或被中断",
  limit: "循环达到上限",
  finished: "循环已结束",
  tray: "关闭窗口后在托盘中继续运行",
  trayHelp: "循环会继续，仍然可以询问你。否则关闭窗口时会询问如何处理它们。",
  agents: "代理",
  agentsHelp: "Loopdeck 可以运行的代理及其问题。",
};
