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
  copyLink: "复制链接",
  copyCode: "复制这段代码",
  tooLong: "文本太长，无法在此复制。请打开文件。",
  table: "表格",
  checked: "已完成：",
  unchecked: "未完成：",
  leadsTo: "指向 {address}",
  image: "图片",
  imageAt: "图片位于 {address}；未加载",
  address: "链接地址",
  addressText: "文档由智能体编写：打开前请看清它指向哪里。",
  copyAddress: "复制地址",
  entries: "{count} 个条目",
  newLines: "{count} 行新内容",
  newEntries: "{count} 个新条目",
  line: "行",
  rest: "其他字段",
} satisfies Translated<typeof en.reader>;
