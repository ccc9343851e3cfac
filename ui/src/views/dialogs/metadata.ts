import { LOOP_V2_FORMS, START_FORM, type Metadata, type MetadataPatch } from "../../host/bindings";

/** The content of the form. */
export interface MetadataForm {
  title: string;
  description: string;
  maxIterations: number | null;
  tags: string;
  priority: string;
  notes: string;
}

export const DESCRIPTION_ADVICE = 500;

export function metadataForm(metadata: Metadata): MetadataForm {
  return {
    title: metadata.title ?? "",
    description: metadata.description ?? "",
    maxIterations: metadata.max_iterations,
    tags: metadata.tags.join(", "),
    priority: metadata.priority ?? "",
    notes: metadata.notes ?? "",
  };
}

export function tagsOf(text: string): string[] {
  const tags = text.split(/[,，、]/).map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

export function titleOk(form: MetadataForm): boolean {
  const { length } = [...form.title.trim()];
  return length >= LOOP_V2_FORMS.title.least && length <= LOOP_V2_FORMS.title.most;
}

export function limitOk(form: MetadataForm): boolean {
  const value = form.maxIterations;
  // Only CCW loops have metadata to edit.
  const { least, most } = START_FORM.iterations.loop_v2;
  return value !== null && Number.isInteger(value) && value >= least && value <= most;
}

/** Only what was changed and may be changed; null when nothing was. */
export function patchOf(metadata: Metadata, form: MetadataForm): MetadataPatch | null {
  const before = metadataForm(metadata);
  const may = (field: string, changed: boolean) => changed && metadata.editable.includes(field);
  const tags = tagsOf(form.tags);
  const patch: MetadataPatch = {
    title: may("title", form.title !== before.title) ? form.title.trim() : null,
    description: may("description", form.description !== before.description) ? form.description : null,
    max_iterations: may("max_iterations", form.maxIterations !== before.maxIterations)
      ? form.maxIterations
      : null,
    tags: may("tags", tags.join() !== metadata.tags.join()) ? tags : null,
    priority: may("priority", form.priority !== before.priority) ? form.priority : null,
    notes: may("notes", form.notes !== before.notes) ? form.notes : null,
  };
  return Object.values(patch).some((value) => value !== null) ? patch : null;
}
