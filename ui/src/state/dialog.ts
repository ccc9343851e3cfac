import type { Control, Failure, VersionView } from "../host/bindings";
import type { FormId, Start } from "./steps";

/** The dialog on top of the window; one at a time. */
export type Dialog =
  /** `byHand`: only the file is written, the agent is started by the person. */
  | { kind: "verb"; key: string; control: Control; byHand: boolean }
  /** Chooses how the agent of a loop is run; `reason`: why it did not start as it was. */
  | { kind: "launch"; key: string; control: Control; reason: Failure | null; raise: number | null }
  | { kind: "stop_now"; key: string }
  | { kind: "metadata"; key: string }
  | { kind: "step"; key: string; form: FormId; start: Start }
  | { kind: "steps"; key: string }
  | { kind: "delete"; key: string }
  | { kind: "recover"; key: string }
  | { kind: "restore"; key: string; version: VersionView }
  | { kind: "editor"; failure: Failure; place: string }
  /** About one loop, or all of them. */
  | { kind: "report"; loop: string | null }
  | { kind: "compare"; loop: string }
  | { kind: "rules" }
  | { kind: "settings" }
  | { kind: "keys" }
  | { kind: "palette" };
