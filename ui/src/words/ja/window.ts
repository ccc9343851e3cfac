export const links = {
  copy: "リンクをコピー",
  copyHere: "この場所へのリンクをコピー",
  copyOf: "{title} へのリンクをコピー",
  waiting: "このリンクのループはまだ一覧にありません。現れたら開きます。",
  unknownPart: "「{name}」という部分はループにありません。代わりに概要を表示しています。",
  unknownItem: "このリンクの「{name}」はもうここにありません。",
} as const;

export const shared = {
  retry: "再試行",
  firstOf: "{total} 件中 {shown} 件を表示しています。",
  showAll: "すべて表示",
  path: "パス",
  value: "値",
} as const;
