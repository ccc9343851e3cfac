import type { Host } from "./host";

/** The desktop's host inside the app's window, sample data in a plain browser while the window is being built. */
export async function chooseHost(): Promise<Host> {
  if (!import.meta.env.DEV || "__TAURI_INTERNALS__" in window) return (await import("./tauri")).tauriHost;
  const { browserHost } = await import("./browser");
  return browserHost(new URLSearchParams(location.search));
}
