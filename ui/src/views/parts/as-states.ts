/** What can have the focus. */
const FOCUSABLE = ":where(a, button, input, select, textarea, summary, [tabindex])";
/** States that only pointer and keyboard bring about, and what is drawn in one inside `data-as="…"`. */
const STATES: Readonly<Record<string, string>> = {
  ":hover": '[data-as="hover"] *',
  ":active": '[data-as="active"] *',
  ":focus-visible": `[data-as="focus"] ${FOCUSABLE}`,
  ":focus-within": '[data-as="focus"] *',
};
const STATE = /:(?:hover|focus-visible|focus-within|active)(?![\w-])/g;

/** The selector with every such state replaced by a mark around the part; it weighs the same. */
export function asMarked(selector: string): string {
  return selector.replace(STATE, (state) => `:is(${STATES[state]})`);
}

function copied(rules: CSSRuleList): string[] {
  return [...rules].flatMap((rule) => {
    if (rule instanceof CSSStyleRule) {
      const marked = asMarked(rule.selectorText);
      return marked === rule.selectorText ? [] : [`${marked} { ${rule.style.cssText} }`];
    }
    if (rule instanceof CSSMediaRule)
      return [`@media ${rule.conditionText} { ${copied(rule.cssRules).join("\n")} }`];
    return [];
  });
}

/**
 * Repeats the page's own rules for these states under marks, so that a state can be looked at without being in it. The
 * answer takes them away again.
 */
export function showStates(): () => void {
  if (typeof CSSStyleSheet === "undefined" || !("adoptedStyleSheets" in document)) return () => undefined;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([...document.styleSheets].flatMap((one) => copied(one.cssRules)).join("\n"));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
  };
}
