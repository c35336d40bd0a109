// What a program of PostgreSQL said of its end, in one line.

const telling = /FATAL|PANIC|error:|ERROR/

/** Words to clients that came too early. */
const toClients = /FATAL: +the database system is /

/** The line that says why: the first one, since what fails after it, such as undoing, fails because of it. */
export function causeIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const cause = lines.find((line) => telling.test(line) && !toClients.test(line)) ?? lines.at(-1) ?? 'it said nothing'
  return cause.replace(/^.*(FATAL|PANIC|error|ERROR): */, '').trim()
}
