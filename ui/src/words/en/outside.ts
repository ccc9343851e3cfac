/** Files and addresses that are opened outside of Loopdeck. */
export const outside = {
  openIn: "Open {place} in your editor",
  openLocation: "Open in editor",
  openFile: "Open file",
  opened: "Opened in your editor: {place}",
  cannot: "{place}: {reason}",
  copyInstead: "{place} cannot be opened: {reason} Click to copy it.",
  noEditorTitle: "Open {place}",
  noEditorText: "Copy the place and open it by hand, or set an editor first.",
  copyPlace: "Copy place",
  setEditor: "Set an editor",
  goesTo: "Opens {host} in your browser.",
  writesTo: "Opens your mail program.",
  goesNowhere: "Only web and mail addresses are opened from documents.",
  openAddress: "Open",
  saved: "Saved: {path}",
  saveMarkdown: "Save outline as Markdown…",
} as const;

/** Why a file cannot be opened. */
export const sight = {
  there: "It can be opened.",
  missing: "There is no such file in this workspace.",
  outside: "It lies outside of this workspace.",
  not_a_file: "It is not a regular file.",
} as const;

/** The editor in the settings. */
export const editor = {
  label: "Editor",
  help: "Opens the files that loops name, at their line.",
  auto: "Automatic",
  autoIs: "Automatic: {name}",
  autoNone: "Automatic: none found",
  notFound: "{name} (not found)",
  custom: "Own command",
  command: "Program and arguments, one per line",
  commandHelp:
    "{file} stands for the file on a line of its own, {line} and {column} for the place. Nothing goes through a shell. Example:",
  tryIt: "Try it",
  tried: "The editor was started. It should show a text at line 3.",
  testText:
    "This text is from Loopdeck.\n\nThe cursor should be in this line, the third.\nYou can close it again.\n",
} as const;
