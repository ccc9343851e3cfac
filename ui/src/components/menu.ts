import type { IconName } from "./icons";

/** One line of a menu. */
export interface MenuItem {
  readonly id: string;
  readonly label: string;
  readonly icon?: IconName;
  readonly shortcut?: string;
  /** What else is to be known before it is chosen; shown below the label. */
  readonly detail?: string;
  /** Why it cannot be chosen now; shown below the label. */
  readonly reason?: string;
  readonly danger?: boolean;
  /** Given for a choice that is on or off; choosing it leaves the menu open. */
  readonly checked?: boolean;
  /** Entries that replace this one when it is chosen. */
  readonly more?: readonly MenuItem[];
  /** Starts a new part of the menu. */
  readonly apart?: boolean;
  readonly run: () => void;
}
