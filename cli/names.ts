// The names of all commands with a line of help each. The program reads this list at each start, so it loads nothing.

/** A command in the list of commands. */
export interface CommandLine {
  readonly name: string
  readonly description: string
}

/** The commands in the order of the help. */
export const commandNames: readonly CommandLine[] = [
  { name: 'metadata export', description: 'write the metadata of the server into the project' },
  { name: 'metadata apply', description: 'replace the metadata of the server by that of the project' },
  { name: 'metadata diff', description: 'compare the metadata of project and server' },
  { name: 'metadata reload', description: 'read database and stored metadata again' },
  { name: 'metadata problems', description: 'list inconsistent objects' },
  { name: 'metadata clear', description: 'remove all metadata' },
]

/** Whether the first word of a command line is a command of this folder. */
export const isCommand = (word: string | undefined): boolean =>
  word !== undefined && commandNames.some(({ name }) => name.split(' ')[0] === word)
