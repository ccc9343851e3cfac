/** Words of the window as a whole: links, and what shows every part. */
export const links = {
  copy: "Copy link",
  copyHere: "Copy link to this place",
  copyOf: "Copy link to {title}",
  waiting: "The loop of this link is not in the list yet. It opens when it is.",
  unknownPart: "A loop has no part called “{name}”. The overview is shown instead.",
  unknownItem: "“{name}” of this link is not here any more.",
} as const;

/** What every view may say. */
export const shared = {
  retry: "Try again",
  firstOf: "{shown} of {total} shown.",
  showAll: "Show all",
  path: "Path",
  value: "Value",
} as const;
