import type { ChangedFileRow, ChangedTexts, ChangeTotals, RunChange } from "./bindings";

const BEFORE = `import { compare } from "bcryptjs";
import { findUser } from "./users";

async function signIn(email: string, password: string) {
  const user = findUser(email);
  return compare(password, user.passwordHash);
}
`;

const AFTER = `import { compare } from "bcryptjs";
import { findUser } from "./users";

/** The user of this address, when the password is theirs. */
async function signIn(email: string, password: string) {
  const user = await findUser(email.trim().toLowerCase());
  if (!user) return null;
  return (await compare(password, user.passwordHash)) ? user : null;
}
`;

const TEST = `import { signIn } from "./sign-in";

test("an unknown address signs nobody in", async () => {
  expect(await signIn("nobody@example.org", "x")).toBeNull();
});
`;

const lines = (text: string) => text.split("\n").slice(0, -1);

/** What a run of the sample changed. */
export const SAMPLE_CHANGES: { file: ChangedFileRow; texts: ChangedTexts | null }[] = [
  {
    file: { path: "public/logo.png", kind: "changed", lines: null, has_text: false },
    texts: null,
  },
  {
    file: {
      path: "src/accounts/sign-in.ts",
      kind: "changed",
      lines: { added: 4, removed: 2 },
      has_text: true,
    },
    texts: { before: lines(BEFORE), after: lines(AFTER) },
  },
  {
    file: {
      path: "src/accounts/sign-in.test.ts",
      kind: "added",
      lines: { added: 5, removed: 0 },
      has_text: true,
    },
    texts: { before: [], after: lines(TEST) },
  },
];

export const SAMPLE_TOTALS: ChangeTotals = { files: 3, lines: { added: 9, removed: 2 } };

/** Two runs of the sample with what they changed. */
export const SAMPLE_RUN_CHANGES: RunChange[] = [
  { run: "auth-2", action: "develop", task: "task-001", iteration: 2, ...SAMPLE_TOTALS },
  { run: "auth-6", action: "debug", task: null, iteration: 4, ...SAMPLE_TOTALS },
];
