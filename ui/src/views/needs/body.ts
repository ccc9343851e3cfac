import type { Need, NeedAnswer } from "../../host/bindings";
import type { AnswerDraft } from "../../state/needs.svelte";

/** What every kind of card is given. */
export interface BodyProps {
  readonly need: Need;
  readonly draft: AnswerDraft;
  /** An answer is on its way. */
  readonly busy: boolean;
  readonly onanswer: (answer: NeedAnswer) => void;
}

/** Whether the need offers an answer: only those have a button. */
export function offers(need: Need, answer: NeedAnswer["answer"]): boolean {
  return need.answers.includes(answer);
}

/** Answers that mean the same for every kind, after those of the kind itself. */
export function otherParts(need: Need, taken: readonly string[]): NeedAnswer["answer"][] {
  const rest = [
    "resume",
    "restore",
    "confirm",
    "try_again",
    "go_on",
    "allow_tool",
    "stop",
    "dismiss",
  ] as const;
  return rest.filter((answer) => offers(need, answer) && !taken.includes(answer));
}
