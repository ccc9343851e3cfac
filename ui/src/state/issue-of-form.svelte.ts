import type { Issue } from "../host/bindings";

/** The issue that the loop of the start form comes from. It outlives the form, as an unfinished form does. */
export class IssueOfForm {
  #taken: { readonly folder: string; readonly issue: Issue } | null = $state.raw(null);

  /** The issue that was taken for a form of this folder; another folder has other issues. */
  in(folder: string): Issue | null {
    return this.#taken?.folder === folder ? this.#taken.issue : null;
  }

  take(folder: string, issue: Issue): void {
    this.#taken = { folder, issue };
  }

  leave(): void {
    this.#taken = null;
  }
}
