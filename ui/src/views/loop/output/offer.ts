import { FORMAT_TRAITS, type LoopRow } from "../../../host/bindings";
import type { App } from "../../../state/app.svelte";
import { say, t } from "../../../words/language.svelte";

/** A button of a run of ours that is no verb of the file. */
export interface RunOffer {
  readonly id: "stop_now" | "pause_now" | "show_output";
  readonly label: string;
  /** Where rows are next to each other: which loop it is about. */
  readonly full: string;
  readonly help: string;
  readonly run: () => void;
}

const WAITING: readonly LoopRow["word"][] = ["pausing", "stopping", "ended_still_running"];

function stopNow(app: App, row: LoopRow): RunOffer {
  return {
    id: "stop_now",
    label: t.runControl.stopNow,
    full: say(t.units.labelled, { name: t.runControl.stopNow, value: row.title }),
    help: t.runControl.stopNowHelp,
    // A person who already asked for a stop, or sees an agent outlive its loop, is not asked again.
    run: () =>
      row.word === "pausing"
        ? (app.navigation.dialog = { kind: "stop_now", key: row.key })
        : void app.actions.stopNow(row.key),
  };
}

function pauseNow(app: App, row: LoopRow): RunOffer {
  return {
    id: "pause_now",
    label: t.runControl.pauseNow,
    full: t.runControl.pauseNow,
    help:
      FORMAT_TRAITS[row.format].teamwork === "rounds"
        ? t.runControl.pauseNowAotHelp
        : t.runControl.pauseNowHelp,
    run: () => void app.actions.pauseNow(row.key),
  };
}

function showOutput(app: App, row: LoopRow): RunOffer {
  return {
    id: "show_output",
    // In a row there is no room for more.
    label: row.word === "silent" ? t.detail.tabs.output : t.runControl.processes,
    full: say(t.units.labelled, { name: t.needs.showOutput, value: row.title }),
    help: "",
    run: () => app.navigation.open(row.key, "output"),
  };
}

/** The one thing to do about a run of ours, where the file's own verbs are not it; nothing where they are. */
export function outputOffer(app: App, row: LoopRow): RunOffer | null {
  if (!row.run) return null;
  if (row.run.alive && WAITING.includes(row.word)) return stopNow(app, row);
  if (row.word === "silent" || row.word === "not_fully_stopped") return showOutput(app, row);
  return null;
}

/** What can be done while a request waits for the agent. */
export function waitingOffers(app: App, row: LoopRow): RunOffer[] {
  if (!row.run?.alive || !WAITING.includes(row.word)) return [];
  return row.word === "pausing" ? [stopNow(app, row), pauseNow(app, row)] : [stopNow(app, row)];
}
