import type { en } from "../en";
import type { Translated } from "../message";

export const followUp = {
  title: "后续工作",
  help: "以此循环的成果开始一个新循环。运行之前可以修改表单。",
  start: "开始循环…",
  startNamed: "开始循环：{kind}",
  parent: "承接自 {title}",
  child: "{kind}：{title}",
  children: "承接此循环的循环",
  filled: "已根据“{title}”填写。新循环的描述会注明该循环。",
  kind: { test: "测试", enhance: "增强", refactor: "重构", doc: "文档" },
  goal: {
    test: "为“{title}”中完成的工作补充测试。",
    enhance: "增强“{title}”中完成的工作：补上仍然缺少的部分。",
    refactor: "重构“{title}”中更改的代码，不改变其行为。",
    doc: "为“{title}”中完成的工作编写文档。",
  },
  because: {
    not_validated: "没有任何测试运行通过。",
    skipped_tests: "上次运行跳过了 {count} 个测试。",
    covered: "上次运行覆盖了 {count}% 的语句。",
    tests_passed: "上次运行通过了 {count} 个测试。",
    tasks_left: "{count} 个任务尚未完成。",
    tasks_done: "{count} 个任务已完成。",
    files_changed: "更改了 {count} 个文件。",
  },
} satisfies Translated<typeof en.followUp>;
