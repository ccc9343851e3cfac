import userEvent from "@testing-library/user-event";
import { tick } from "svelte";

/** A person with a mouse and a keyboard, who waits for nothing: how much time passes is up to the test. */
const person = () => userEvent.setup({ delay: null });

export async function click(target: Element): Promise<void> {
  await person().click(target);
  await tick();
}

/** Presses keys where the focus is, written as user-event does: `{Enter}`, `j`, `{Control>}k{/Control}`. */
export async function press(keys: string): Promise<void> {
  await person().keyboard(keys);
  await tick();
}

/** Types a text into a field in place of what it has. */
export async function fill(field: Element, text: string): Promise<void> {
  const user = person();
  await user.clear(field);
  if (text !== "") await user.type(field, text.replace(/[{[]/g, "$&$&"));
  await tick();
}

/** Chooses the option with this text. */
export async function choose(field: Element, text: string): Promise<void> {
  await person().selectOptions(field, text);
  await tick();
}
