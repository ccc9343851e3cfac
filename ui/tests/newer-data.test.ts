import { screen, within } from "@testing-library/svelte";
import { expect, it } from "vitest";
import { mountApp, sampleHost } from "./mount";

it("data of a newer version is told of at the start, with what to do next", async () => {
  const host = sampleHost();
  host.newer = { kind: "newer_data", args: {}, refusal: null };
  await mountApp(host);
  const notice = await screen.findByTestId("notice");
  within(notice).getByText(
    "This data is from a newer version of Loopdeck. Nothing was written. Install the newest version of Loopdeck, or start this one with another data folder.",
  );
});

it("nothing is told of data that is ours", async () => {
  await mountApp(sampleHost());
  expect(screen.queryByTestId("notice")).toBeNull();
});
