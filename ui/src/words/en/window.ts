/** Words of the window as a whole: links, and what shows every part. */
export const links = {
  copy: "Copy link",
  copyHere: "Copy link to this place",
  copyOf: "Copy link to {title}",
  waiting: "The linked loop isn’t in the list yet. It opens when it appears.",
  unknownPart: "A loop has no part called “{name}”. Showing the overview instead.",
  unknownItem: "“{name}” from this link no longer exists.",
} as const;

/** What every view may say. */
export const shared = {
  retry: "Try again",
  firstOf: "{shown} of {total} shown.",
  showAll: "Show all",
  path: "Path",
  value: "Value",
} as const;
