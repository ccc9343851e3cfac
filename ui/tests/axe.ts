import axe from "axe-core";

/** What axe finds, as short lines. Colours are computed in contrast.test.ts: nothing is painted here. */
export async function violations(node: Element): Promise<string[]> {
  const result = await axe.run(node, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    rules: {
      "color-contrast": { enabled: false },
      region: { enabled: false },
      "target-size": { enabled: false },
    },
  });
  return result.violations.map(
    (one) => `${one.id}: ${one.nodes.map((at) => at.html.slice(0, 160)).join(" | ")}`,
  );
}
