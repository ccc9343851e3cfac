import type { Control, Failure, VersionView } from "../host/bindings";
import type { FormId, Start } from "./steps";

/** The dialog on top of the window; one at a time. */
export type Dialog =
  | { kind: "verb"; key: string; control: Control }
  | { kind: "metadata"; key: string }
  | { kind: "step"; key: string; form: FormId; start: Start }
  | { kind: "steps"; key: string }
  | { kind: "delete"; key: string }
  | { kind: "recover"; key: string }
  | { kind: "restore"; key: string; version: VersionView }
  | { kind: "editor"; failure: Failure; place: string }
  | { kind: "settings" }
  | { kind: "keys" }
  | { kind: "palette" };
