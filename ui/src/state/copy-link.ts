import { getContext, setContext } from "svelte";
import { useReading } from "./reading";

const COPY_LINK = Symbol("link");
type CopyLink = (item: string) => void;

/** For the parts of a tab: copies a link to the thing in it that has this id. */
export function provideCopyLink(copy: CopyLink): void {
  setContext(COPY_LINK, copy);
}

/** Null where no link leads: in a version of the past. */
export function useCopyLink(): CopyLink | null {
  return useReading()?.past ? null : (getContext<CopyLink | undefined>(COPY_LINK) ?? null);
}
