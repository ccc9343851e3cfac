import { render, waitFor } from "@testing-library/svelte";
import App from "../src/App.svelte";
import { MemoryHost, SAMPLE_WORKSPACES, sampleRows } from "../src/host/memory";
import { sampleAgents } from "../src/host/sample-agents";
import { sampleNeeds } from "../src/host/sample-needs";
import { loadParts } from "../src/views/parts-later";

export const NOW = Date.now();

export function sampleHost(): MemoryHost {
  const host = new MemoryHost();
  host.fill(sampleRows(NOW), SAMPLE_WORKSPACES);
  return host;
}

/** The same, with one need of every kind and agents in every state. */
export function needyHost(): MemoryHost {
  const host = sampleHost();
  host.runs.setNeeds(sampleNeeds(host.rows(), NOW));
  host.runs.agentRows = sampleAgents();
  return host;
}

/** The whole window on a host in memory, painted, with the parts that it loads behind the list. */
export async function mountApp(host: MemoryHost): Promise<HTMLElement> {
  await loadParts();
  const { container } = render(App, { props: { host } });
  await waitFor(() => {
    if (!host.asked.includes("painted")) throw new Error("not painted yet");
  });
  return container;
}

export function rowOf(container: HTMLElement, title: string): HTMLElement {
  const rows = [...container.querySelectorAll<HTMLElement>('[data-testid="loop-row"]')];
  const row = rows.find((one) => one.textContent?.includes(title));
  if (!row) throw new Error(`no row ${title}`);
  return row;
}

export function keyOf(host: MemoryHost, title: string): string {
  const row = host.rows().find((one) => one.title.startsWith(title));
  if (!row) throw new Error(`no loop ${title}`);
  return row.key;
}
