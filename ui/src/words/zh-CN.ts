import { gathered, type Sections } from "./gathered";

export const zhCN = gathered(
  import.meta.glob<Sections>("./zh-CN/*.json", { eager: true, import: "default" }),
);
