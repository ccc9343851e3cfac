import type * as en from "../en/closing";
import type { Translated } from "../message";

export const closing = {
  title: "有 {count} 个运行正在进行",
  keepInTray: "在托盘中继续运行",
  keepInTrayText: "窗口会关闭，运行继续进行。可通过托盘图标重新打开窗口。",
  keepHidden: "不显示窗口，继续运行",
  keepHiddenText: "窗口会关闭，运行继续进行。此桌面不显示托盘：再次启动 Loopdeck 即可重新打开窗口。",
  stopAndQuit: "停止 {count} 个运行并退出",
  stopAndQuitText: "结束每个代理及其所有进程，并将循环标记为由你停止。你文件中的更改会保留。",
  stay: "取消",
  nothing: "没有正在进行的运行",
  nothingText: "在显示此对话框期间，最后一个运行已经结束。",
  quit: "退出",
  stopTitle: "停止 {count} 个运行？",
  stopText: "结束每个代理及其所有进程，并将循环标记为由你停止。你文件中的更改会保留。Loopdeck 保持打开。",
  stop: "停止 {count} 个运行",
  keep: "继续运行",
  stopping: "正在停止 {count} 个运行…",
  stoppingText: "先请求代理结束，必要时强制结束。这可能需要半分钟。",
  left: "仍有进程在运行",
  leftText: "在它们结束之前，Loopdeck 保持打开。各个循环会显示是哪些进程。",
  understood: "显示循环",
} satisfies Translated<typeof en.closing>;
