import type { AotChange, Control, Failure, StepCode, VersionView } from "../host/bindings";

/** A separate form: one for each step, and one for each way to change the task list. */
export type FormId = Exclude<StepCode, "edit_tasks"> | "task_add" | "task_edit" | "task_delete";

/** What a form begins with: the thing it was asked for. */
export interface FormStart {
  /** An atom or a listed task. */
  readonly id?: string;
  readonly group?: string;
  /** Which part of a redirect. */
  readonly what?: AotChange["what"];
  /** The field to begin at, by its test id. */
  readonly at?: string;
}

/** The dialog on top of the window; one at a time. */
export type Dialog =
  /** `byHand`: only the file is written, the agent is started by the person. */
  | { kind: "verb"; key: string; control: Control; byHand: boolean }
  | { kind: "stop_now"; key: string }
  /** Confirms the command of a plan's own tool before it runs. */
  | { kind: "own_tool"; key: string; command: readonly string[] }
  | { kind: "metadata"; key: string }
  | { kind: "step"; key: string; form: FormId; start: FormStart }
  | { kind: "steps"; key: string }
  | { kind: "delete"; key: string }
  | { kind: "snooze"; keys: readonly string[] }
  /** Gives what the list shows a name, or another name to the view that has this one. */
  | { kind: "view"; name: string | null }
  /** One question for several loops. */
  | { kind: "several"; verb: "stop" | "delete"; keys: readonly string[] }
  /** What became of its files, and what to do with them. */
  | { kind: "finish"; key: string; path?: string; at?: "pull_request" }
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
