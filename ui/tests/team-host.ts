import type { TeamView } from "../src/host/bindings";
import { MemoryHost, SAMPLE_WORKSPACES } from "../src/host/memory";
import { sampleCopy, sampleCopyRows, sampleTeam } from "../src/host/sample-team";
import { NOW, sampleHost } from "./mount";

/** A host whose machine is in a team. */
export function teamHost(patch: Partial<TeamView> = {}): MemoryHost {
  const host = sampleHost();
  const page = sampleTeam(NOW);
  host.inTeam.page = { ...page, team: { ...page.team!, ...patch } };
  return host;
}

/** The same with the copy of a folder of another machine. */
export function withCopy(host: MemoryHost, since: number | null = null): MemoryHost {
  host.fill(sampleCopyRows(NOW), [...SAMPLE_WORKSPACES, sampleCopy(since)]);
  return host;
}
