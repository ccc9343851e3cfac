/** What may have something to tell: `data-tip` names it, and a text that is cut can be shown whole. */
const TIPPED = "[data-tip], .cut";
/** Who passes over something does not ask about it, unless another tip was just read. */
export const PAUSE = 400;
/** In rows the focus passes by with every arrow key. */
export const ROW_PAUSE = 800;
/** Long enough to move the pointer onto the tip. */
export const LINGER = 120;
const MODIFIERS: readonly string[] = ["Shift", "Control", "Alt", "Meta"];

export interface ShownTip {
  readonly anchor: HTMLElement;
  readonly text: string;
  /** It is there because of the focus, and is read with what has it. */
  readonly focused: boolean;
}

const bare = (text: string) => text.replace(/\s+/g, " ").trim();

function overflows(node: Element): boolean {
  const over = node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1;
  return over && getComputedStyle(node).overflowX !== "visible";
}

/** Whether a part of its text is not to be seen. */
function isCut(node: HTMLElement): boolean {
  return overflows(node) || [...node.querySelectorAll(".cut")].some(overflows);
}

/** What it has to tell: nothing where the text is there to be read already. */
function textOf(node: HTMLElement): string {
  const shown = bare(node.innerText);
  const text = node.dataset.tip ?? shown;
  if (text.trim() === "") return "";
  return shown.includes(bare(text)) && !isCut(node) ? "" : text.trim();
}

/** What is nearest to the pointer of those that have something to tell. */
function telling(at: Element | null): { anchor: HTMLElement; text: string } | null {
  let node = at?.closest<HTMLElement>(TIPPED);
  while (node) {
    const text = textOf(node);
    if (text !== "") return { anchor: node, text };
    node = node.parentElement?.closest<HTMLElement>(TIPPED);
  }
  return null;
}

/** A row has the focus for all that is in it: the first of its texts that is cut is what the keyboard cannot reach. */
function cutIn(row: Element): { anchor: HTMLElement; text: string } | null {
  const anchor = [...row.querySelectorAll<HTMLElement>(TIPPED)].find((node) => isCut(node));
  const text = anchor ? textOf(anchor) : "";
  return anchor && text !== "" ? { anchor, text } : null;
}

/**
 * The one tip of the window. It listens in one place for all that has something to tell: a list of 10,000 rows has none
 * of this in its rows but an attribute.
 */
class Tips {
  shown: ShownTip | null = $state.raw(null);
  /** The element that shows it. */
  drawn: Element | null = null;
  /** What the pointer is at. */
  #at: Element | null = null;
  /** The last key was pressed after the last click: a dialog gives the focus back as visible even after a click. */
  #byKey = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The text may be learned while the pointer waits. */
  readonly #learned = new MutationObserver(() => this.#learn());

  /** Begins to listen; answers how to end it. */
  listen(window: Window): () => void {
    const options = { capture: true, passive: true } as const;
    const ears: readonly [string, (event: never) => void, AddEventListenerOptions][] = [
      ["pointerover", (event: PointerEvent) => this.#over(event), options],
      ["pointermove", (event: PointerEvent) => this.#move(event), options],
      ["pointerdown", () => this.#press(), options],
      ["keydown", (event: KeyboardEvent) => this.#key(event), { capture: true }],
      ["focusin", (event: FocusEvent) => this.#focus(event), options],
      ["focusout", () => this.#blur(), options],
      ["blur", () => this.hide(), {}],
    ];
    for (const [type, ear, how] of ears) window.addEventListener(type, ear as EventListener, how);
    const out = () => this.#leave();
    window.document.documentElement.addEventListener("pointerleave", out);
    return () => {
      for (const [type, ear, how] of ears) window.removeEventListener(type, ear as EventListener, how);
      window.document.documentElement.removeEventListener("pointerleave", out);
      this.hide();
    };
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.#learned.disconnect();
    this.shown = null;
  }

  /** The tip itself takes no click from what is below it; a pointer that goes onto it to read is known by its place. */
  #onTip({ clientX, clientY }: PointerEvent): boolean {
    const box = this.shown && this.drawn?.getBoundingClientRect();
    if (!box) return false;
    return clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
  }

  #move(event: PointerEvent): void {
    if (this.#at !== null && this.#at === this.drawn && !this.#onTip(event)) this.#over(event);
  }

  #over(event: PointerEvent): void {
    const { target, pointerType } = event;
    if (pointerType === "touch" || !(target instanceof Element)) return;
    const onTip = this.#onTip(event);
    const at = onTip ? this.drawn : target.closest(TIPPED);
    if (at === this.#at) return;
    this.#at = at;
    if (onTip) return clearTimeout(this.#timer);
    if (!at) return this.#leave();
    const seen = this.shown !== null;
    this.#after(seen ? LINGER : PAUSE, () => this.#point(at));
  }

  #point(at: Element): void {
    this.#learned.disconnect();
    const found = telling(at);
    const same = found?.anchor === this.shown?.anchor && found?.text === this.shown?.text;
    if (!same) this.shown = found && { ...found, focused: false };
    this.#learned.observe(at, { attributeFilter: ["data-tip"], subtree: true });
  }

  #learn(): void {
    if (this.#at?.isConnected) this.#point(this.#at);
    else this.hide();
  }

  #leave(): void {
    this.#at = null;
    this.#after(LINGER, () => this.hide());
  }

  /** What is pressed is known; and the tip must not cover what comes. */
  #press(): void {
    this.#byKey = false;
    this.hide();
  }

  #focus({ target }: FocusEvent): void {
    if (!this.#byKey || !(target instanceof HTMLElement) || !target.matches(":focus-visible")) return;
    const row = target.matches("[role=row], [role=option], [role=treeitem]");
    this.#after(row ? ROW_PAUSE : 0, () => {
      if (!target.isConnected) return;
      const found = row ? cutIn(target) : telling(target);
      this.shown = found && { ...found, focused: true };
    });
  }

  /** What has the focus may be leaving the page right now, in the middle of an update: the tip goes after it. */
  #blur(): void {
    if (!this.shown || this.shown.focused) this.#after(0, () => this.hide());
  }

  /** Escape first dismisses what the focus has brought, where it says more than the name of what has the focus. */
  #key(event: KeyboardEvent): void {
    this.#byKey = true;
    if (MODIFIERS.includes(event.key)) return;
    const { shown } = this;
    this.hide();
    if (event.key !== "Escape" || !shown?.focused || repeatsName(shown)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  #after(time: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, time);
  }
}

/** Whether it says only what its anchor is called. */
export function repeatsName({ anchor, text }: ShownTip): boolean {
  return bare(anchor.getAttribute("aria-label") ?? anchor.innerText) === bare(text);
}

export const tips = new Tips();
