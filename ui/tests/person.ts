import userEvent from "@testing-library/user-event";
import { tick } from "svelte";

/**
 * A person with a mouse and a keyboard, who waits for nothing: how much time passes is up to the test. There is one in each file: a
 * second one would put another clipboard in place.
 */
const person = userEvent.setup({ delay: null });

/** A hand moves between two clicks: at the same place the second one would be the rest of a double click. */
let moved = 0;
const elsewhere = () => {
  moved += 100;
  return { clientX: moved, clientY: 10 };
};

export async function click(target: Element): Promise<void> {
  const coords = elsewhere();
  await person.pointer([
    { target, coords },
    { keys: "[MouseLeft]", target, coords },
  ]);
  await tick();
}

/** Clicks with the right button. */
export async function rightClick(target: Element): Promise<void> {
  await person.pointer([{ keys: "[MouseRight]", target, coords: elsewhere() }]);
  await tick();
}

/** Moves the pointer onto it. */
export async function hover(target: Element): Promise<void> {
  await person.pointer({ target, coords: elsewhere() });
  await tick();
}

/** Presses keys where the focus is, or in `field`, written as user-event does: `{Enter}`, `j`, `{Control>}k{/Control}`. */
export async function press(keys: string, field?: HTMLElement): Promise<void> {
  field?.focus();
  await person.keyboard(keys);
  await tick();
}

/** Types a text into a field in place of what it has. */
export async function fill(field: Element, text: string): Promise<void> {
  await person.clear(field);
  if (text !== "") await person.type(field, text.replace(/[{[]/g, "$&$&"));
  await tick();
}

/** Chooses the option with this text. */
export async function choose(field: Element, text: string): Promise<void> {
  await person.selectOptions(field, text);
  await tick();
}

/** Clicks the button that sends a form. */
export async function send(form: Element): Promise<void> {
  const own = form.querySelector('button[type="submit"]');
  await click(own ?? document.querySelector(`button[type="submit"][form="${form.id}"]`)!);
}

/** Puts a clipboard in place; returns what is written into it, one after the other. */
export function clipboard(): string[] {
  const written: string[] = [];
  Object.defineProperty(navigator, "clipboard", {
    configurable: true,
    value: { writeText: async (text: string) => void written.push(text) },
  });
  return written;
}
