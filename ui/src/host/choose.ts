import type { Host } from "./host";

/** The desktop's host inside the app's window, sample data in a plain browser. */
export async function chooseHost(): Promise<Host> {
  if ("__TAURI_INTERNALS__" in window) return (await import("./tauri")).tauriHost;
  const { browserHost } = await import("./browser");
  return browserHost(new URLSearchParams(location.search));
}
