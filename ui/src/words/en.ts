import { gathered, type Sections } from "./gathered";

export const en = gathered(import.meta.glob<Sections>("./en/*.json", { eager: true, import: "default" }));
