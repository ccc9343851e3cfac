import type { Control, VersionView } from "../host/bindings";
import type { FormId, Start } from "./steps";

/** The dialog on top of the window; one at a time. */
export type Dialog =
  | { kind: "verb"; key: string; control: Control }
  | { kind: "stop_now"; key: string }
  | { kind: "metadata"; key: string }
  | { kind: "step"; key: string; form: FormId; start: Start }
  | { kind: "steps"; key: string }
  | { kind: "delete"; key: string }
  | { kind: "recover"; key: string }
  | { kind: "restore"; key: string; version: VersionView }
  | { kind: "settings" }
  | { kind: "keys" }
  | { kind: "palette" };
