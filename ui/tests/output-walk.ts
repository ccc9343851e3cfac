import { screen, waitFor } from "@testing-library/svelte";
import { expect } from "vitest";
import type { MemoryHost } from "../src/host/memory";
import { playRuns } from "../src/host/sample-outputs";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click } from "./person";

export const rows = () => screen.queryAllByTestId("output-row");

export function playing(): MemoryHost {
  const host = sampleHost();
  playRuns(host);
  return host;
}

export async function openOutput(host: MemoryHost, title = "Implement user"): Promise<HTMLElement> {
  host.open = keyOf(host, title);
  const container = await mountApp(host);
  await click(await screen.findByTestId("tab-output"));
  await screen.findByTestId("panel-output");
  return container;
}

/** A row with this text has come. */
export const said = (text: string | RegExp) =>
  waitFor(() =>
    expect(
      rows()
        .map((row) => row.textContent)
        .join("\n"),
    ).toMatch(text),
  );
