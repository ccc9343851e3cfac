import { screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { MemoryHost } from "../src/host/memory";
import { failure } from "../src/host/memory-list";
import { mountApp, sampleHost } from "./mount";
import { click } from "./person";

async function settings(host: MemoryHost): Promise<void> {
  await mountApp(host);
  await click(screen.getByRole("button", { name: "Settings" }));
  await screen.findByTestId("settings-dialog");
}

const box = () => screen.findByRole<HTMLInputElement>("checkbox", { name: "Start when you sign in" });

describe("starting at sign-in", () => {
  it("is what the desktop says, and can be switched", async () => {
    const host = sampleHost();
    host.signIn = true;
    await settings(host);
    expect((await box()).checked).toBe(true);
    await click(await box());
    await waitFor(() => expect(host.signIn).toBe(false));
    await click(await box());
    await waitFor(() => expect(host.signIn).toBe(true));
  });

  it("stays as it was when it cannot be switched, and says why", async () => {
    const host = sampleHost();
    await settings(host);
    host.failNext = failure("disk", { path: "/home/ana/.config/autostart", reason: "read-only" });
    await click(await box());
    expect(await screen.findByText(/read-only/)).toBeTruthy();
    expect((await box()).checked).toBe(false);
    expect(host.signIn).toBe(false);
  });

  it("is not offered where it cannot be arranged", async () => {
    const host = sampleHost();
    host.signIn = null;
    await settings(host);
    await screen.findByRole("checkbox", { name: /^Keep running in the tray/ });
    expect(screen.queryByTestId("set-sign-in")).toBeNull();
  });
});
