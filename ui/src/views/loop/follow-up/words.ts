import type { FollowUpOffer, StartForm } from "../../../host/bindings";
import { say, sentences, t } from "../../../words/language.svelte";

/** The fact of the loop that speaks for an offer. */
export function reasonText({ because, count }: FollowUpOffer): string {
  const message = t.followUp.because[because];
  return say(message, { count });
}

const LONGEST_TITLE = 100;

/** What the start form begins with: a goal that names the loop and its facts. A person reads it before it is sent. */
export function followUpWork(offer: FollowUpOffer, title: string): Pick<StartForm["work"], "goal" | "title"> {
  const kind = t.followUp.kind[offer.kind];
  const goal = sentences(say(t.followUp.goal[offer.kind], { title }), reasonText(offer));
  const names = offer.names.map((name) => `- ${name.split("\n", 1)[0]!.trim()}`);
  const whole = [...say(t.units.labelled, { name: kind, value: title })];
  return {
    goal: [goal, ...names].join("\n"),
    title: whole.length > LONGEST_TITLE ? `${whole.slice(0, LONGEST_TITLE - 1).join("")}…` : whole.join(""),
  };
}
