const PLAIN = /^[\w@%+=:,./-]+$/;

/** An argument as a shell would take it. */
function quotedArgument(argument: string): string {
  return PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/** A command line that a shell would take as it is: arguments with other than harmless signs are quoted. */
export function commandLine(argv: readonly string[]): string {
  return argv.map(quotedArgument).join(" ");
}
