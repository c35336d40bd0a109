// `.env` in the working directory: variables for development. The process's own variables take precedence.

import { parseEnv } from 'node:util'
import { dialects } from '../core/names/dialect.ts'
import { OptionsError } from '../core/options/option-values.ts'
import { readTextFile, TextFileError } from './text-file.ts'

/** The variables taken from the file. */
export interface EnvFile {
  readonly name: string
  /** The names of the variables whose value comes from it. */
  readonly variables: ReadonlySet<string>
}

const name = '.env'

/** Adds the file's variables to those of the process; null if the file is absent or must not be read. */
export function loadEnvFile(
  variables: Record<string, string | undefined>,
  readFile: (path: string) => string | null = readTextFile,
): EnvFile | null {
  if (variables['NODE_ENV'] === 'production') return null
  const text = readEnvFile(readFile)
  if (text === null) return null
  const given = new Set(Object.keys(variables).filter((key) => variables[key] !== undefined))
  const isGiven = (key: string) => [key, ...sameSecret(key)].some((each) => given.has(each))
  const added = Object.entries(parseEnv(text)).filter(([key]) => !isGiven(key))
  for (const [key, value] of added) variables[key] = value
  return { name, variables: new Set(added.map(([key]) => key)) }
}

function readEnvFile(readFile: (path: string) => string | null): string | null {
  try {
    return readFile(name)
  } catch (error) {
    if (!(error instanceof TextFileError)) throw error
    // A directory with this name is something else, such as a Python environment.
    if (error.code === 'EISDIR') return null
    throw new OptionsError(`Fatal Error:- File ${name} cannot be read: ${error.message}`)
  }
}

/** The other variable for the same secret: if the process has that one, this one is ignored. */
function sameSecret(key: string): readonly string[] {
  const isOption = Object.values(dialects).some(({ environmentPrefix }) => key.startsWith(environmentPrefix))
  if (!isOption) return []
  return [key.endsWith('_FILE') ? key.slice(0, -'_FILE'.length) : `${key}_FILE`]
}
