import type { ApiField, Asked, StatusChoice, Supplied } from "../../host/bindings";

/** What a person typed in over a proposal, by field; a field that is not here stays as proposed. */
export type Typed = Partial<Record<ApiField, string>>;

export const STATUS_CHOICES: readonly StatusChoice[] = [
  "created",
  "running",
  "paused",
  "completed",
  "failed",
  "user_exit",
];

function whole(text: string | undefined): number | null {
  const number = Number(text);
  return text !== undefined && text !== "" && Number.isInteger(number) && number >= 0 ? number : null;
}

/** The change: only fields that differ from what the proposal says. */
export function supplied(asked: readonly Asked[], typed: Typed): Supplied {
  const changed: Typed = {};
  for (const { field, value } of asked) {
    const text = typed[field];
    if (text !== undefined && text !== value) changed[field] = text;
  }
  const { title, description, tags, priority, notes, status, created_at } = changed;
  return {
    metadata: {
      title: title ?? null,
      description: description ?? null,
      max_iterations: whole(changed.max_iterations),
      tags:
        tags
          ?.split(",")
          .map((tag) => tag.trim())
          .filter((tag) => tag !== "") ?? null,
      priority: priority ?? null,
      notes: notes ?? null,
    },
    status: STATUS_CHOICES.find((choice) => choice === status) ?? null,
    current_iteration: whole(changed.current_iteration),
    created_at: created_at ?? null,
  };
}
