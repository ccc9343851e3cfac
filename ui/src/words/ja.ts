import { gathered, type Sections } from "./gathered";

export const ja = gathered(import.meta.glob<Sections>("./ja/*.json", { eager: true, import: "default" }));
