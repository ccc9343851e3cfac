import { gathered, type Sections } from "./gathered";

export const later = gathered(
  import.meta.glob<Sections>("./en/*.json", { eager: true, import: "default", query: "?later" }),
);
