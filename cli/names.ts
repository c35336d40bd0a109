// The names of all commands with a line of help each. The program reads this list at each start, so it loads nothing else.

import { leadingFlags } from './flags.ts'

/** A command in the list of commands. */
export interface CommandLine {
  readonly name: string
  readonly description: string
}

/** The commands in the order of the help. */
export const commandNames: readonly CommandLine[] = [
  { name: 'init', description: 'make the folder of a project' },
  { name: 'deploy', description: 'apply pending migrations, then the metadata of the project' },
  { name: 'migrate create', description: 'make the folder of a new migration' },
  { name: 'migrate up', description: 'apply pending migrations' },
  { name: 'migrate down', description: 'undo the last migrations' },
  { name: 'migrate status', description: 'list migrations and whether they are applied' },
  { name: 'migrate verify', description: 'compare migrations with those that ran' },
  { name: 'migrate mark', description: 'record a migration as applied or pending without running it' },
  { name: 'migrate squash', description: 'join migrations into one' },
  { name: 'metadata export', description: 'write the metadata of the server into the project' },
  { name: 'metadata apply', description: 'replace the metadata of the server by that of the project' },
  { name: 'metadata diff', description: 'compare the metadata of project and server' },
  { name: 'metadata reload', description: 'read database and stored metadata again' },
  { name: 'metadata problems', description: 'list inconsistent objects' },
  { name: 'metadata clear', description: 'remove all metadata' },
  { name: 'sql', description: 'run SQL' },
  { name: 'run', description: 'send an operation of the metadata API, or a GraphQL request' },
  { name: 'seed', description: 'run the seeds of the project' },
  { name: 'track', description: 'track all tables and views' },
  { name: 'suggest', description: 'suggest relationships by foreign keys' },
  { name: 'branch create', description: 'copy the database for a git branch' },
  { name: 'branch drop', description: 'remove the copy of a branch' },
  { name: 'branch list', description: 'list the copies of branches' },
  { name: 'types', description: 'print the GraphQL schema of a role as TypeScript' },
  { name: 'doctor', description: 'check a server, its database and the project' },
  { name: 'adopt', description: 'report whether a project of another engine is served, and apply it' },
  { name: 'mcp', description: 'offer the tools of a role to a language model, on standard input and output' },
  { name: 'completions', description: 'print completions for bash, zsh or fish' },
]

/** Whether a command line names a command of this folder; flags of all commands may stand before it. */
export function isCommand(argv: readonly string[]): boolean {
  const [first, second] = argv.slice(leadingFlags(argv))
  const word = first === 'help' ? second : first
  return commandNames.some(({ name }) => name.split(' ')[0] === word)
}
