/** 在 Loopdeck 之外打开的文件和地址。 */
export const outside = {
  openIn: "在编辑器中打开 {place}",
  openLocation: "在编辑器中打开",
  openFile: "打开文件",
  opened: "已在编辑器中打开：{place}",
  cannot: "{place}：{reason}",
  copyInstead: "无法打开 {place}：{reason}点击可复制。",
  noEditorTitle: "打开 {place}",
  noEditorText: "请复制位置并手动打开，或先设置编辑器。",
  copyPlace: "复制位置",
  setEditor: "设置编辑器",
  goesTo: "将在浏览器中打开 {host}。",
  writesTo: "将打开邮件程序。",
  goesNowhere: "文档中只有网页和邮件地址可以打开。",
  openAddress: "打开",
  saved: "已保存：{path}",
  saveMarkdown: "将大纲保存为 Markdown…",
} as const;

/** 文件为何无法打开。 */
export const sight = {
  there: "可以打开。",
  missing: "此工作区中没有该文件。",
  outside: "它位于此工作区之外。",
  not_a_file: "它不是普通文件。",
} as const;

/** 设置中的编辑器。 */
export const editor = {
  label: "编辑器",
  help: "在对应的行打开循环提到的文件。",
  auto: "自动",
  autoIs: "自动：{name}",
  autoNone: "自动：未找到",
  notFound: "{name}（未找到）",
  custom: "自定义命令",
  command: "程序和参数，每行一个",
  commandHelp: "{file} 单独占一行，代表文件；{line} 和 {column} 代表位置。不经过任何 shell。示例：",
  tryIt: "试一下",
  tried: "编辑器已启动，应在第 3 行显示一个测试文件。",
  testText: "这是 Loopdeck 的测试文件。\n\n光标应在这一行，即第 3 行。\n现在可以关闭此文件。\n",
} as const;
