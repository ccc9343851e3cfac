import type { LoopRow } from "../host/bindings";
import type { IconName } from "../components/icons";
import type { Mark } from "../components/shapes";

/** What a command is about; the palette begins with what is nearest. */
export type CommandGroup = "recent" | "loop" | "places" | "window" | "folders" | "settings" | "loops";

/** One line of the palette. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  readonly shortcut?: string;
  /** The loop it is about, to show its status next to it. */
  readonly row?: LoopRow;
  /** Its state, for places such as a hypothesis. */
  readonly status?: { readonly mark: Mark; readonly text: string };
  /** What it is called where it takes something away: it comes first only for who asks for it by this name. */
  readonly harm?: string;
  readonly run: () => void;
}

export interface GroupedCommand extends Command {
  readonly group: CommandGroup;
}
