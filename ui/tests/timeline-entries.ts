import type { EventView } from "../src/host/bindings";

export const NOON = Date.UTC(2026, 10, 20, 12);
export const MINUTE = 60_000;
export const at = (minutes: number) => {
  const ms = NOON + minutes * MINUTE;
  return { text: new Date(ms).toISOString(), ms, shifted: false };
};

export function event(minutes: number, text: string): EventView {
  const [subject, iteration, says] = [null, null, { form: "text" as const }];
  return { time: at(minutes), kind: "develop_entry", iteration, subject, text, says, files: [], file: "" };
}
