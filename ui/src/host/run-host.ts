import type { commands } from "./bindings";

/** Commands as callers see them; the answer of one that only ends says nothing. */
export type FromBackend<Names extends keyof typeof commands> = {
  [Name in Names]: (
    ...given: Parameters<(typeof commands)[Name]>
  ) => Promise<Answered<(typeof commands)[Name]>>;
};
type Answered<Command extends (...given: never[]) => Promise<unknown>> =
  Awaited<ReturnType<Command>> extends null | void ? unknown : Awaited<ReturnType<Command>>;

/** What the window can ask about running loops. A failing operation rejects with a `Failure`. */
export type RunHost = FromBackend<
  | "reviewStart"
  | "startLoop"
  | "folderFacts"
  | "prefillForm"
  | "draftWork"
  | "formOf"
  | "draft"
  | "saveDraft"
  | "templates"
  | "saveTemplate"
  | "deleteTemplate"
  | "trust"
  | "trusted"
  | "planOf"
  | "reviewLaunch"
  | "launch"
  | "runOwnTool"
  | "pauseNow"
  | "stopNow"
  | "stopFacts"
  | "tryCommand"
  | "draftLoop"
  | "stopTry"
  | "runs"
  | "verifications"
  | "output"
  | "outputText"
  | "runChanges"
  | "runChange"
  | "findOutput"
  | "needs"
  | "needInput"
  | "answer"
  | "agents"
  | "saveAgent"
  | "removeAgent"
  | "setProgram"
  | "pickFolder"
  | "pickProgram"
>;
