export const links = {
  copy: "复制链接",
  copyHere: "复制此处的链接",
  copyOf: "复制 {title} 的链接",
  waiting: "链接的循环尚未出现在列表中，出现后会自动打开。",
  unknownPart: "循环没有名为“{name}”的部分，现显示概览。",
  unknownItem: "此链接中的“{name}”已不在这里。",
} as const;

export const shared = {
  retry: "重试",
  firstOf: "已显示 {shown} / {total} 项。",
  showAll: "显示全部",
  path: "路径",
  value: "值",
} as const;
