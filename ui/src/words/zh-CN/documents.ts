import type * as en from "../en/documents";
import type { Translated } from "../message";

/** 文档和日志的阅读器。 */
export const reader = {
  show: "显示方式",
  shown: { rendered: "排版", entries: "条目", source: "源文本" },
  find: "在此文档中查找",
  findKeys: "在此文档中查找（{keys}）",
  hitsOf: "第 {at} 处，共 {count} 处",
  hitsOfMany: "第 {at} 处，超过 {count} 处",
  noHits: "未找到",
  next: "下一处（Enter）",
  previous: "上一处（Shift+Enter）",
  closeFind: "关闭查找",
  copy: "复制全文",
  versions: "版本",
  versionNow: "现在的内容",
  versionItem: "{what} · {time}",
  versionThen: "{time} 时的内容（{who}）。只保留 Loopdeck 写入或替换过的版本。",
  backToNow: "回到现在",
  copyLink: "复制链接",
  copyCode: "复制这段代码",
  tooLongToSearch: "文本太长，无法在此搜索。请改为打开文件。",
  tooLong: "文本太长，无法在此复制。请改为打开文件。",
  table: "表格",
  checked: "已完成：",
  unchecked: "未完成：",
  leadsTo: "指向 {address}",
  image: "图片",
  imageAt: "图片位于 {address}；未加载",
  address: "链接地址",
  addressText: "这些文档由代理编写。打开前请检查链接指向哪里。",
  copyAddress: "复制地址",
  entries: "{count} 个条目",
  newLines: "{count} 行新内容",
  newEntries: "{count} 个新条目",
  line: "行",
  rest: "其他字段",
} satisfies Translated<typeof en.reader>;

/** Results of atoms, read as documents. */
export const results = {
  title: "Atom 的结果",
  of: "{id} 的结果",
  showAtom: "在图中显示",
  copy: "复制为 Markdown",
  noSummary: "没有写摘要。",
  open: "作为文档打开",
} as const;
