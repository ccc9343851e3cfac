import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { failure } from "../src/host/memory-list";
import { playRuns } from "../src/host/sample-outputs";
import { mountApp, sampleHost } from "./mount";
import { click, fill, press } from "./person";

const PART = { name: "Say something to the agent" };

/** The page of a loop with an agent at work. */
async function openWorking() {
  const host = sampleHost();
  playRuns(host);
  const row = host.rows().find((one) => one.format === "loop_v2" && one.run?.alive === true);
  if (!row) throw new Error("none works");
  host.open = row.key;
  await mountApp(host);
  const part = await screen.findByRole("region", PART);
  return { host, part, row };
}

const field = (part: HTMLElement) => within(part).getByRole("textbox");

describe("what a person says to a loop", () => {
  it("waits, can be withdrawn, and is delivered", async () => {
    const { host, part } = await openWorking();
    const say = within(part).getByRole<HTMLButtonElement>("button", { name: "Say it" });
    expect(say.disabled).toBe(true);
    await fill(field(part), "Use <b>8080</b>");
    await press("{Enter}");
    const item = await within(part).findByRole("listitem");
    expect(item.textContent).toContain("Use <b>8080</b>");
    expect(item.textContent).toContain("Waiting for the next run");
    expect(field(part)).toHaveProperty("value", "");
    await click(within(item).getByRole("button", { name: "Withdraw" }));
    await waitFor(() => expect(within(part).queryByRole("listitem")).toBeNull());
    expect(host.finishing.asked).toEqual(["message Use <b>8080</b>", "withdraw 1"]);
    await fill(field(part), "Now");
    host.finishing.messagesKept = [
      { id: 4, at: Date.now(), by: "ada", about: "", text: "Then", run: "r", delivered_at: Date.now() },
    ];
    await click(say);
    const items = await within(part).findAllByRole("listitem");
    expect(items.map((one) => within(one).queryByRole("button") !== null)).toEqual([false, true]);
    expect(items[0]?.textContent).toContain("Delivered");
  });

  it("stays in the field when it can't be said", async () => {
    const { host, part } = await openWorking();
    await fill(field(part), "Stop guessing");
    host.finishing.failNext = failure("own_data");
    await press("{Enter}");
    expect(await within(part).findByRole("alert")).toBeTruthy();
    expect(field(part)).toHaveProperty("value", "Stop guessing");
  });

  it("is not offered where a skill writes the prompts, and what still waits is shown", async () => {
    const { host, part, row } = await openWorking();
    host.write(row.key, { run: { ...row.run!, action: "skill" } });
    await waitFor(() => expect(screen.queryByRole("region", PART)).toBeNull());
    expect(part.isConnected).toBe(false);
    host.finishing.messagesKept = [
      { id: 4, at: Date.now(), by: "ada", about: "", text: "Then", run: null, delivered_at: null },
    ];
    host.write(row.key, { run: { ...row.run!, action: "skill", last_output: 1 } });
    const left = await screen.findByRole("region", PART);
    expect(within(left).queryByRole("textbox")).toBeNull();
    expect(left.textContent).toContain("Then");
  });
});
