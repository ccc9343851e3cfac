import { Channel } from "@tauri-apps/api/core";
import { commands, type Push } from "./bindings";
import type { Host } from "./host";

// One channel for the life of the window: every channel leaves a handler behind in the web view.
const pushes = new Channel<Push>();

/** The host behind the real window: the generated commands, which know the name and the arguments of each. */
export const tauriHost: Host = {
  ...commands,
  runs: commands,
  finishing: commands,

  subscribe: (onPush) => {
    pushes.onmessage = onPush;
    return commands.subscribe(pushes);
  },
  saveAs: (name, bytes) => commands.saveAs(name, Array.from(bytes)),
};
