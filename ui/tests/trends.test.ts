import { screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { TrendDay, TrendQuery, Trends } from "../src/host/bindings";
import { sampleTrends } from "../src/host/sample-trends";
import { daysBefore, METRICS, pointsOf, axisTop } from "../src/views/overview/trends";
import { violations } from "./axe";
import { mountApp, sampleHost } from "./mount";
import { click } from "./person";

const NOTHING: TrendDay = {
  at: 0,
  ended: 0,
  succeeded: 0,
  iterations: null,
  tests_passed: 0,
  tests_total: 0,
  worked_ms: 0,
  cost_usd: null,
  actions: [],
};

async function openTrends(host = sampleHost()) {
  const asked: TrendQuery[] = [];
  const read = host.trends.bind(host);
  host.trends = (query) => {
    asked.push(query);
    return read(query);
  };
  const container = await mountApp(host);
  await click(screen.getByRole("button", { name: "Dashboard" }));
  await click(await screen.findByRole("radio", { name: "Trends" }));
  const page = await screen.findByRole("article", { name: "Dashboard" });
  await within(page).findByRole("table", { name: "Trends by day" });
  return { container, page, asked };
}

describe("trends", () => {
  it("are charts for eyes and a table for everybody", async () => {
    const { container, page } = await openTrends();
    const charts = within(page).getAllByRole("figure");
    expect(charts.map((chart) => chart.querySelector("figcaption")?.textContent)).toEqual([
      "Succeeded",
      "Cost",
    ]);
    const table = within(page).getByRole("table", { name: "Trends by day" });
    expect(within(table).getAllByRole("row").length).toBeGreaterThan(15);
    await click(within(page).getByRole("button", { name: "Show as table" }));
    expect(within(page).queryAllByRole("figure")).toHaveLength(0);
    expect(within(page).getByRole("table", { name: "Trends by day" })).toBeTruthy();
    expect(await violations(container)).toEqual([]);
  });

  it("are of the days and the folder that the person chooses", async () => {
    const { page, asked } = await openTrends();
    expect(asked.at(-1)!.days).toHaveLength(30);
    await click(within(page).getByRole("radio", { name: "7 days" }));
    await userEvent.selectOptions(within(page).getByRole("combobox", { name: "Folder" }), "storefront");
    await waitFor(() => expect(asked.at(-1)).toMatchObject({ workspace: "w1", agent: null }));
    expect(asked.at(-1)!.days).toHaveLength(7);
  });

  it("are read again until every loop is counted", async () => {
    const host = sampleHost();
    const left = [300, 120, 0];
    host.trends = async (query): Promise<Trends> => ({
      ...sampleTrends(host.rows(), query),
      left: left.shift() ?? 0,
    });
    await openTrends(host);
    await waitFor(() => expect(left).toEqual([]));
  });

  it("say that there is nothing, and what went wrong", async () => {
    const host = sampleHost();
    host.trends = async (query) => sampleTrends([], query);
    const container = await mountApp(host);
    await click(screen.getByRole("button", { name: "Dashboard" }));
    await click(await screen.findByRole("radio", { name: "Trends" }));
    await waitFor(() => expect(screen.getAllByText("No data in this period.")).toHaveLength(3));
    host.trends = async () => {
      throw { kind: "own_data", args: { reason: "disk full" }, refusal: null };
    };
    await click(screen.getByRole("radio", { name: "7 days" }));
    await waitFor(() => expect(container.textContent).toContain("disk full"));
  });
});

describe("the numbers of a trend", () => {
  it("begin at midnight, also where a day has 23 hours", () => {
    const { days, until } = daysBefore(new Date(2026, 2, 30, 12).getTime(), 3);
    const midnights = [28, 29, 30, 31].map((day) => new Date(2026, 2, day).getTime());
    expect([...days, until]).toEqual(midnights);
  });

  it("are gaps where nothing is known, and never nothing", () => {
    const days = [NOTHING, { ...NOTHING, ended: 2, succeeded: 0, cost_usd: 0 }];
    expect(pointsOf(days, "success").map(({ value }) => value)).toEqual([null, 0]);
    expect(pointsOf(days, "cost").map(({ value }) => value)).toEqual([null, 0]);
    expect(METRICS.iterations.text({ ...NOTHING, iterations: 3.5 })).toBe("3.5");
    expect([axisTop([null, 0], false), axisTop([2, 5], false), axisTop([2], true)]).toEqual([1, 5, 100]);
  });
});
