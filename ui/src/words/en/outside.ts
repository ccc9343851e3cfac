/** Files and addresses that are opened outside of Loopdeck. */
export const outside = {
  openIn: "Open {place} in your editor",
  openLocation: "Open in editor",
  openFile: "Open file",
  opened: "Opened in your editor: {place}",
  cannot: "{place}: {reason}",
  copyInstead: "{place} can’t be opened: {reason} Click to copy it.",
  noEditorTitle: "Open {place}",
  noEditorText: "Copy the location and open it yourself, or set an editor first.",
  copyPlace: "Copy location",
  setEditor: "Set an editor",
  goesTo: "Opens {host} in your browser.",
  writesTo: "Opens your mail program.",
  goesNowhere: "Only web and mail addresses can be opened from documents.",
  openAddress: "Open",
  saved: "Saved: {path}",
  saveMarkdown: "Save outline as Markdown…",
} as const;

/** Why a file cannot be opened. */
export const sight = {
  there: "It can be opened.",
  missing: "There is no such file in this workspace.",
  outside: "It is outside this workspace.",
  not_a_file: "It isn’t a regular file.",
} as const;

/** The editor in the settings. */
export const editor = {
  label: "Editor",
  help: "Opens the files that loops name, at their line.",
  auto: "Automatic",
  autoIs: "Automatic: {name}",
  autoNone: "Automatic: none found",
  notFound: "{name} (not found)",
  custom: "Custom command",
  command: "Program and arguments, one per line",
  commandHelp:
    "Write {file} on a line of its own for the file; {line} and {column} are the position. No shell is involved. Example:",
  tryIt: "Try it",
  tried: "The editor was started. It should show a test file at line 3.",
  testText:
    "This file is a test from Loopdeck.\n\nThe cursor should be on this line, line 3.\nYou can close the file.\n",
} as const;
