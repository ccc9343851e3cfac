import { waitFor } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { drawLastList, isLastListShown, removeLastList } from "../src/last-list/draw";
import { takePicture, type Picture } from "../src/last-list/picture";
import { mountApp, sampleHost } from "./mount";

const shown = () => document.getElementById("last-list")!;

/** What a start reads: data that was written and read again. */
const kept = (picture: Picture) => JSON.parse(JSON.stringify(picture)) as unknown;

function pictureOf(html: string): Picture {
  const root = document.createElement("div");
  root.innerHTML = html;
  return takePicture(root, "As you left it.");
}

afterEach(() => {
  removeLastList(document);
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the list as it was left", () => {
  it("has the texts and the look of the list, and says that it is an old one", () => {
    const picture = pictureOf(
      '<main class="side"><h2 style="top: 3px">Fix &lt;b&gt;tabs&lt;/b&gt;</h2><svg viewBox="0 0 1 1"><path d="M0 0"/></svg></main>',
    );
    expect(drawLastList(document, kept(picture))).toBe(true);
    const heading = shown().querySelector<HTMLElement>("main.side h2")!;
    expect(heading.textContent).toBe("Fix <b>tabs</b>");
    expect(heading.style.top).toBe("3px");
    expect(shown().querySelector("path")!.namespaceURI).toBe("http://www.w3.org/2000/svg");
    expect(shown().textContent).toContain("As you left it.");
  });

  it("has of a choice what is chosen", () => {
    const picture = pictureOf("<select><option>Title</option><option selected>Status</option></select>");
    drawLastList(document, kept(picture));
    expect([...shown().querySelectorAll("option")].map(({ textContent }) => textContent)).toEqual(["Status"]);
  });

  it("holds nothing that acts, and no name that the page below has", () => {
    const picture = pictureOf(
      '<a href="x" onclick="y" id="z" data-testid="t">link</a><script>alert(1)</script><img src="x"><iframe src="x"></iframe>',
    );
    drawLastList(document, kept(picture));
    expect(shown().querySelectorAll("script, img, iframe, [href], [onclick], [data-testid]")).toHaveLength(0);
    expect(shown().querySelector("a")!.id).toBe("");
    expect(shown().querySelector<HTMLElement>("div")!.inert).toBe(true);
  });

  it.each([
    ["what is no picture", "text"],
    ["nothing", undefined],
    ["a picture without attributes", { root: {}, dark: false, note: "", window: ["div"] }],
    [
      "attributes that are none",
      { root: {}, dark: false, note: "", window: ["div", { "a b": "" }, [["svg", {}, 3]]] },
    ],
  ])("is not drawn from %s", (_, file) => {
    expect(drawLastList(document, file)).toBe(false);
    expect(isLastListShown(document)).toBe(false);
  });

  it("draws no element or attribute that a file names and the list never has", () => {
    const window = [
      "div",
      { onload: "x", src: "y" },
      [
        ["script", {}, ["alert(1)"]],
        ["base", { href: "z" }, []],
      ],
    ];
    expect(drawLastList(document, { root: { onload: "x" }, dark: false, note: "", window })).toBe(true);
    expect(shown().innerHTML).not.toMatch(/script|alert|base|onload|src/);
    expect(document.documentElement.hasAttribute("onload")).toBe(false);
  });

  it("is not drawn when the system became dark", () => {
    expect(drawLastList(document, { ...pictureOf("x"), dark: true })).toBe(false);
  });
});

describe("the window", () => {
  it("keeps its list for the next start, which shows it until the folders are read", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const host = sampleHost();
    await mountApp(host);
    await vi.advanceTimersByTimeAsync(6_000);
    await waitFor(() => expect(host.lastList).toContain("Rate-limit"));
    document.body.replaceChildren();

    // From here on no time passes: only what was read uncovers the window.
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const next = sampleHost();
    expect(drawLastList(document, JSON.parse(host.lastList!))).toBe(true);
    expect(shown().textContent).toContain("Rate-limit");
    await mountApp(next);
    await waitFor(() => expect(isLastListShown(document)).toBe(false));
  });

  it("keeps no list that is filtered or not read", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const host = sampleHost();
    const container = await mountApp(host);
    const filter = container.querySelector<HTMLInputElement>(
      'input[type="search"], [data-testid="filter"] input, input',
    )!;
    filter.value = "Rate";
    filter.dispatchEvent(new Event("input", { bubbles: true }));
    await vi.advanceTimersByTimeAsync(11_000);
    expect(host.lastList).toBeNull();
  });
});
