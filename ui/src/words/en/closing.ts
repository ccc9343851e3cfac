/** Closing the window, or stopping everything, while loops run. */
export const closing = {
  title: { one: "{count} run is active", other: "{count} runs are active" },
  keepInTray: "Keep running in the tray",
  keepInTrayText: "The window closes and the runs continue. Use the tray icon to reopen it.",
  keepHidden: "Keep running without a window",
  keepHiddenText:
    "The window closes and the runs continue. This desktop has no tray: start Loopdeck again to reopen the window.",
  stopAndQuit: { one: "Stop {count} run and quit", other: "Stop {count} runs and quit" },
  stopAndQuitText:
    "Ends every agent and its processes, and marks the loops as stopped by you. Changes to your files are kept.",
  stay: "Cancel",
  nothing: "No runs are active",
  nothingText: "The last run ended while this dialog was open.",
  quit: "Quit",
  stopTitle: { one: "Stop {count} run?", other: "Stop {count} runs?" },
  stopText:
    "Ends every agent and its processes, and marks the loops as stopped by you. Changes to your files are kept. Loopdeck stays open.",
  stop: { one: "Stop {count} run", other: "Stop {count} runs" },
  keep: "Keep running",
  stopping: { one: "Stopping {count} run…", other: "Stopping {count} runs…" },
  stoppingText: "Agents are asked to end first, then forced to. This can take half a minute.",
  left: "Some processes are still running",
  leftText: "Loopdeck stays open until they end. Their loops show which ones they are.",
  understood: "Show the loops",
} as const;
