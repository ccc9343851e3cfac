/** What a redirect changes, as headings of a list; `loopdeck redirect --dry-run` says the same. */
export const redirectEffect = {
  nothing: "Nothing else changes.",
  texts: "Objective",
  checks: "The completion check is replaced.",
  limits: "Limits",
  added: "Added",
  deleted: "Deleted",
  edited: "Edited",
  decomposed: "Decomposed",
  rejoined: "No longer a container",
  selections: "Selected branch",
  interrupted: "Work interrupted",
  reset: "To redo",
  reopened: "Containers reopened",
  discarded: "Results removed",
  trail: "Trail entries removed",
  ready: "Can start",
  waiting: "Can no longer start",
  stall_forgiven: "The next round does not count as a stall.",
  ends_hold: "The hold ends and the loop continues.",
} as const;

/** One line below such a heading. */
export const redirectRow = {
  atom: "{id} · {description}",
  text: "{name}: “{before}” → “{after}”",
  limit: "{name}: {before} → {after}",
  described: "{id}: “{after}”",
  needs: "{id} also waits for {ids}",
  no_longer_needs: "{id} no longer waits for {ids}",
  split: "{id} into {ids}",
  choice: "{group}: {before} → {after}",
  no_choice: "none",
  cleared: "{group}: {ids} can be tried again",
  result: "{id}: {summary}",
  trail: "{group}: {selected} · {reason}",
} as const;

/** The preview in the dialog. */
export const effects = {
  title: "What this does",
  incomplete: "Change something in the form to see its effects.",
  looking: "Checking…",
  refusedAbove: "This can't be written. See above.",
  cascaded: "depends on it",
  interrupts: { one: "Interrupts work on {count} atom.", other: "Interrupts work on {count} atoms." },
  resets: {
    one: "Sets {count} resolved atom back to pending.",
    other: "Sets {count} resolved atoms back to pending.",
  },
  discards: { one: "Removes {count} result.", other: "Removes {count} results." },
  clears: { one: "Clears {count} trail entry.", other: "Clears {count} trail entries." },
  keepsAll: "No work is lost.",
} as const;
