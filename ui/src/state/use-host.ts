import { createContext } from "svelte";
import type { Host } from "../host/host";

/** What is behind the window, for components that ask it. */
export const [useHost, provideHost] = createContext<Host>();
