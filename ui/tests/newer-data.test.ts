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

it("files of ours that cannot be read are told of until that is dismissed, each by its name", async () => {
  const host = sampleHost();
  const reason = "expected value at line 1 column 1";
  host.damaged = [
    {
      kind: "set_aside",
      args: { path: "/d/choices.json", reason, kept: "/d/choices.json.damaged-20261129T120000" },
      refusal: null,
    },
    { kind: "damaged_data", args: { path: "/d/team/shares.json", reason }, refusal: null },
  ];
  await mountApp(host);
  const notice = await screen.findByTestId("notice");
  within(notice).getByText(/\/d\/choices\.json .*kept as \/d\/choices\.json\.damaged-20261129T120000/);
  within(notice).getByText(/\/d\/team\/shares\.json .*Correct the file, or move it away/);
  within(notice).getByRole("button").click();
  await expect.poll(() => screen.queryByTestId("notice")).toBeNull();
});
