/** Closing the window, or stopping everything, while loops run. */
export const closing = {
  title: { one: "{count} run is active", other: "{count} runs are active" },
  keepInTray: "Keep running in the tray",
  keepInTrayText: "The window closes and the runs go on. The icon in the tray brings the window back.",
  keepHidden: "Keep running without a window",
  keepHiddenText:
    "The window closes and the runs go on. This desktop shows no tray: start Loopdeck once more to bring the window back.",
  stopAndQuit: { one: "Stop {count} run and quit", other: "Stop {count} runs and quit" },
  stopAndQuitText:
    "Every agent ends with all of its processes, and its loop is marked as stopped by you. Changes in your files stay.",
  stay: "Cancel",
  nothing: "No run is active any more",
  nothingText: "The last run ended while this question was open.",
  quit: "Quit",
  stopTitle: { one: "Stop {count} run?", other: "Stop {count} runs?" },
  stopText:
    "Every agent ends with all of its processes, and its loop is marked as stopped by you. Changes in your files stay. Loopdeck stays open.",
  stop: { one: "Stop {count} run", other: "Stop {count} runs" },
  keep: "Keep running",
  stopping: { one: "Stopping {count} run…", other: "Stopping {count} runs…" },
  stoppingText: "Agents are first asked to end, then made to. This may take half a minute.",
  left: "Not everything ended",
  leftText: "Some processes are still there, so Loopdeck stays open. Their loops show which.",
  understood: "Show the loops",
} as const;
